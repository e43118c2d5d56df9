"""The Go Text Protocol (GTP 2): engines of other people on our seats, our bots on other boards."""
