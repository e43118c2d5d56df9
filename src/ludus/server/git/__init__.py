"""Bots that are submitted with git: the repository that the server offers for each, remotes that a
bot is tied to, and the versions that pushes become.

The server itself never runs git on what was pushed: git runs in the jail of ``ludus.sandbox`` on
copies, and repositories are kept in the database, so that a push is stored as a whole or not at
all, and backups contain it.
"""
