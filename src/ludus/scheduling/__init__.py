"""Runs contests: their database, the lease, the scheduler and the cluster."""
