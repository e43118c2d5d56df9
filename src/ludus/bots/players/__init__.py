"""Players of a bout: bots in this process, in a process of their own, people, foreign programs."""
