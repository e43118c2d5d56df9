"""The languages that bots are written in, one file for each; ``registry`` lists them."""
