"""The Saiblo judger: games and AIs of the Saiblo platform run here unmodified.

A *logic* (a game's rules as a program) talks with the judger, the judger with the AIs. ``judge``
runs one match; ``protocol`` says what goes over the pipes in each version.
"""
