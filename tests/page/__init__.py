"""Tests of what a person sees and does in a browser; a package, so that they share one."""
