"""What the organiser sees and does: overview, settings, audit, health, backups."""
