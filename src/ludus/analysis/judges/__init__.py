"""Who judges the moves of a game."""
