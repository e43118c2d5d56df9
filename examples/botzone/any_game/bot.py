"""A bot in Botzone's manner that plays every game of Ludus: a random legal move.

A request says which moves are legal; the response is one of them. The bot asks to be kept running,
so only its first line of input has the history.
"""

import json
import random
import sys

for line in sys.stdin:
    message = json.loads(line)
    request = message["requests"][-1] if "requests" in message else message
    legal = request["legal"]
    where = f"{request['game']}, seat {request['seat']}, step {request['step']}"
    print(json.dumps({"response": random.choice(legal), "debug": f"{where}: {len(legal)} moves"}))
    print(">>>BOTZONE_REQUEST_KEEP_RUNNING<<<", flush=True)
