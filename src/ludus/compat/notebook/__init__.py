"""How positions, records and matches look in a notebook, and in the pictures of environments."""
