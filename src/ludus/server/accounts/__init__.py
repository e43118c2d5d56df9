"""Users, sessions, tokens, teams and classes."""
