"""Many matches: who meets whom, who is ahead, and how sure that is."""
