"""What a contest came to, for people and for programs."""
