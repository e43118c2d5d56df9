"""The original Eraser's own tools: the same names and files, played by the Ludus referee.

``python -m ludus.compat.eraser.match NAME1 NAME2 20`` and
``python -m ludus.compat.eraser.local_debugger`` do what ``match.py`` and ``local_debugger.py``
did; ``from ludus.compat.eraser.game import Game_play`` plays one game between two modules.
"""
