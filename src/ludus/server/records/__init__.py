"""Records that the page shows: saved files, opened files and stored bouts."""
