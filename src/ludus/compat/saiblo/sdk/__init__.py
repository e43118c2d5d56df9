"""For people who write games and AIs for Saiblo in Python.

``logic`` is for a game's logic, ``ai`` for AIs, ``bout`` for logics that talk with their AIs in
Ludus' words. All of them need nothing but the standard library: copied beside a program, they
work where there is no Ludus as well.
"""
