"""The Tablut challenge of the University of Bologna: its server's protocol, from both ends.

White connects to port 5800 and Black to port 5801; ``wire`` has the messages. ``server`` plays
bouts with players that connect, ``join`` lets a bot of Ludus connect to another server, and
``seat`` is the scheme ``tcp:COMMAND``, which starts a player of the challenge on a seat.
"""
