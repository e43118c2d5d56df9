"""Administration of a site: overview, settings, audit log, health, backups."""
