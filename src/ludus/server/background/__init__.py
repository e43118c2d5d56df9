"""The background process of a server: checks versions and plays ladders and contests.

It reads what is to be done from the database; the server only wakes it. Killed at any moment and
restarted, it continues from what is stored.
"""
