"""The tools of the original platforms on top of Ludus, and conversion of their files."""
