# A bot for Eraser (eraser), written for the original's API.
# Try it:   ludus play eraser examples/dialects/eraser_plaser.py greedy --watch
# Check it: ludus check examples/dialects/eraser_plaser.py --game eraser


class Plaser:
    """Swaps as low as it can: much falls down, and what falls may erase more."""

    def __init__(self, is_First):
        """is_First: whether you move first. One Plaser is made for each bout."""
        self.is_First = is_First

    def move(self, board, operations, scores, turn_number):
        """Answer with two neighbouring cells of the main board: ((x1, y1), (x2, y2)).

        board:       a numpy array; board[x, y] is column x from the left, row y from the bottom:
                     "R", "B", "G", "Y", "P", or "nan" where nothing is left. The main board
                     is board[:, :6]; the rest waits above and falls. It is a copy.
        operations:  every swap that erases something, never empty
        scores:      [yours, the other side's]
        turn_number: your own turn, from 1 to 100
        self.move_history: both sides' moves so far; self.used_time: [yours, theirs] in seconds
        What you print becomes a note about the move that only you read.
        """
        return min(operations, key=self.height)

    def height(self, operation):
        """How far up a swap is."""
        (x1, y1), (x2, y2) = operation
        return y1 + y2
