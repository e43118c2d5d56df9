"""Complete games for Saiblo, each in a folder of its own: Reversi in Python, Uno in C++."""

from pathlib import Path

FOLDER = Path(__file__).parent
