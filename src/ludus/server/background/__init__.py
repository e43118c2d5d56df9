"""The office: a process beside the server that checks versions and plays ladders and contests.

What is to be done is read from the database, never told: the server only rings. Killed anywhere
and started anew, the office goes on from what is written.
"""
