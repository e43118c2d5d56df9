"""Contests that run: their database, the lease, the scheduler and the workers."""
