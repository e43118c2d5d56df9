"""Bouts under way, sent to everybody who watches."""
