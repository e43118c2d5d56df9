"""Worker processes: the one pool for matches, checks and self-play. Standard library only."""
