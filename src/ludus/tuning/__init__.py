"""Tuning: finds better values for the numbers that a bot's file declares, by playing."""
