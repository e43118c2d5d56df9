"""Makes the files of a release and tries them as new users would; ``tools/release`` runs it."""
