"""A bot of Botzone that takes the largest pile. It asks to be kept running."""

import json
import sys

message = json.loads(sys.stdin.readline())
request = message["requests"][-1]
while True:
    piles = request["piles"]
    pile = piles.index(max(piles))
    print(json.dumps({"response": {"pile": pile, "take": piles[pile]}}))
    print(">>>BOTZONE_REQUEST_KEEP_RUNNING<<<", flush=True)
    line = sys.stdin.readline()
    if not line:
        break
    request = json.loads(line)
