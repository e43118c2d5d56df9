"""What ``ludus.__all__`` promises: play, match and look at bouts from Python and in notebooks."""
