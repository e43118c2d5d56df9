"""Nim as a judge of Botzone: who takes the last stone wins.

The judge is started for every turn and reads the whole bout so far. It prints what the next player
is asked, or the scores. What it draws by lot goes into ``initdata``, so that the bout can be judged
again.
"""

import json
import random
import sys


def choose_piles(initdata):
    """The piles that were given, or three to five random ones."""
    if isinstance(initdata, dict) and "piles" in initdata:
        return initdata["piles"]
    seed = initdata.get("seed") if isinstance(initdata, dict) else None
    dice = random.Random(seed)
    return [dice.randint(1, 9) for _ in range(dice.randint(3, 5))]


def take(piles, answer):
    """Take stones; whether the answer is a legal move."""
    move = answer.get("response")
    if answer["verdict"] != "OK" or not isinstance(move, dict):
        return False
    pile, stones = move.get("pile"), move.get("take")
    if type(pile) is not int or type(stones) is not int or not 0 <= pile < len(piles):
        return False
    if not 1 <= stones <= piles[pile]:
        return False
    piles[pile] -= stones
    return True


def finish(winner, piles, why):
    scores = {str(winner): 2, str(1 - winner): 0}
    return {
        "command": "finish",
        "content": scores,
        "display": {"piles": piles, "winner": winner, "why": why},
    }


def judge(log, initdata):
    """The judge's next output."""
    piles = choose_piles(initdata)
    player = 0
    moved = None
    first = not log
    for answers in log[1::2]:
        answer = answers[str(player)]
        if not take(piles, answer):
            return finish(1 - player, piles, f"player {player}: {answer['verdict']}, no legal move")
        moved = answer["response"]
        if not any(piles):
            return finish(player, piles, "took the last stone")
        player = 1 - player
    output = {
        "command": "request",
        "content": {str(player): {"piles": piles}},
        "display": {"piles": piles, "moved": moved},
    }
    if first:
        output["initdata"] = {"piles": piles}
    return output


message = json.loads(sys.stdin.readline())
print(json.dumps(judge(message["log"], message["initdata"])))
