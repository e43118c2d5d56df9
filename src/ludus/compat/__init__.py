"""The originals' own tools on top of Ludus, and conversion of their files."""
