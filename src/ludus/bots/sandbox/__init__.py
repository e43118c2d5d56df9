"""Where strangers' programs run: they see their own files and little else, and leave nothing."""
