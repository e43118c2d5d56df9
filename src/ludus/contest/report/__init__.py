"""Reports of a contest, for people and for programs."""
