"""A bot of Botzone that plays Nim perfectly: it leaves piles whose exclusive or is 0."""

import functools
import json
import operator

piles = json.loads(input())["requests"][-1]["piles"]
total = functools.reduce(operator.xor, piles)
moves = [(pile, stones - (stones ^ total)) for pile, stones in enumerate(piles)]
good = [move for move in moves if move[1] > 0]
pile, take = good[0] if good else (piles.index(max(piles)), 1)
print(json.dumps({"response": {"pile": pile, "take": take}, "debug": f"xor {total}"}))
