"""Teaches pattern networks: bouts on all CPU cores, and the weights fitted to them with JAX."""
