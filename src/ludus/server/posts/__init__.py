"""Comments on bouts, and announcements in contests and classes."""
