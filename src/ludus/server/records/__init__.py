"""Records that can be opened on the page."""
