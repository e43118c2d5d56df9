# C declarations of board.py, for the compiled modules that share it.

from ludus.games.duel2048.tiles cimport TileBoard

cdef class Chessboard(TileBoard):
    cdef Chessboard _twin(self)
