"""A bot in Botzone's manner that plays every game of Ludus: a random legal move.

A request says which moves are legal; the response is one of them.
"""

import json
import random

request = json.loads(input())["requests"][-1]
legal = request["legal"]
seen = f"{request['game']}, seat {request['seat']}, step {request['step']}"
print(json.dumps({"response": random.choice(legal), "debug": f"{seen}: {len(legal)} moves"}))
