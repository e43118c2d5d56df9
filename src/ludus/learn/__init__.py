"""Search and self-play training over the rules of ``ludus.games``."""
