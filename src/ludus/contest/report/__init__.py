"""Reports of a contest as data and as text; the server's page draws the same as HTML."""
