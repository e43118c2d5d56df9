"""For people who write games and AIs for Saiblo in Python.

``logic`` is for a game's logic, ``ai`` for AIs, ``bout`` for logics that send their AIs the
messages of Ludus games. All of them use the standard library only: copied next to a program, they
also work where Ludus is not installed.
"""
