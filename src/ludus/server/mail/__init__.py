"""Notices by e-mail, where the server knows a mail server."""
