"""A player of the Tablut challenge in plain Python, without Ludus.

    python3 player.py WHITE|BLACK SECONDS ADDRESS

It moves the king to the border if it can, else it plays any legal move. It connects as the
challenge's rules say: White to port 5800, Black to port 5801; messages are a length of four bytes
and JSON; rows are numbered from the top.
"""

import json
import random
import socket
import sys

PORTS = {"WHITE": 5800, "BLACK": 5801}
OWN = {"WHITE": ("WHITE", "KING"), "BLACK": ("BLACK",)}
CAMPS = [
    {(3, 0), (4, 0), (5, 0), (4, 1)},
    {(3, 8), (4, 8), (5, 8), (4, 7)},
    {(0, 3), (0, 4), (0, 5), (1, 4)},
    {(8, 3), (8, 4), (8, 5), (7, 4)},
]


def send(connection, message):
    data = json.dumps(message).encode()
    connection.sendall(len(data).to_bytes(4, "big") + data)


def receive(stream):
    head = stream.read(4)
    return json.loads(stream.read(int.from_bytes(head, "big"))) if len(head) == 4 else None


def camp_of(cell):
    return next((camp for camp in CAMPS if cell in camp), set())


def slide(board, start, step):
    """The cells that the piece can reach in one direction."""
    x, y = start
    while True:
        x, y = x + step[0], y + step[1]
        if not (0 <= x < 9 and 0 <= y < 9) or board[y][x] != "EMPTY":
            return
        if (camp := camp_of((x, y))) and camp is not camp_of(start):
            return
        yield x, y


def legal_moves(board, side):
    for y in range(9):
        for x in range(9):
            if board[y][x] in OWN[side]:
                for step in ((0, 1), (0, -1), (1, 0), (-1, 0)):
                    for target in slide(board, (x, y), step):
                        yield (x, y), target


def choose(board, side):
    moves = list(legal_moves(board, side))
    for (x, y), (to_x, to_y) in moves:
        if board[y][x] == "KING" and (to_x in (0, 8) or to_y in (0, 8)):
            return (x, y), (to_x, to_y)
    return random.choice(moves)


def name_of(cell):
    return "abcdefghi"[cell[0]] + str(cell[1] + 1)


def main(side, address):
    with socket.create_connection((address, PORTS[side])) as connection:
        send(connection, "example")
        stream = connection.makefile("rb")
        while (state := receive(stream)) is not None:
            if state["turn"] == side:
                start, target = choose(state["board"], side)
                send(connection, {"from": name_of(start), "to": name_of(target), "turn": side})
            elif state["turn"] not in OWN:
                print(state["turn"])
                return


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[3] if len(sys.argv) > 3 else "127.0.0.1")
