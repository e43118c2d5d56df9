"""Bots of every dialect that print all they are told, and a digest of all they remember.

Two runs that print the same went through the same states: positions, clocks, storage, random
numbers and the platform's own objects.
"""

MEMORY = '''
import hashlib, random

TURNS = []  # lives as long as the process: through all bouts of a match


def remember(where, *told):
    """Print what a call was told, with everything that was remembered so far."""
    TURNS.append((where, told, random.random()))
    print(where, *told, hashlib.sha256(repr(TURNS).encode()).hexdigest()[:16])


def burn():
    """Take some time, a different one in every turn, so that clocks move."""
    return sum(range(20_000 * (1 + len(TURNS) % 3)))
'''

NATIVE = (
    MEMORY
    + """
class Bot:
    def start(self, seat, position):
        self.seat, self.log = seat, []
        remember("start", seat, position.digest())

    def move(self, position, clock):
        burn()
        self.log.append((position.digest(), clock.left, clock.limit))
        remember("move", self.log[-1], len(self.log))
        return random.choice(position.legal(self.seat))

    def end(self, outcome):
        remember("end", outcome.scores, outcome.reason, len(self.log))
"""
)

DUEL = (
    MEMORY
    + """
class Player:
    def __init__(self, isFirst, array):
        self.first, self.skipped = isFirst, False
        remember("init", isFirst, tuple(array))

    def output(self, currentRound, board, mode):
        if mode.startswith("_"):
            remember(mode, currentRound, repr(board), board.getTime(not self.first))
            self.skipped = True  # until its next move its own time is measured while it runs
            return None
        burn()
        times = [board.getTime(side) for side in (True, False) if side != self.first]
        times += [] if self.skipped else [board.getTime(self.first)]
        self.skipped = False
        said = [str(board.getDecision(side)) for side in (True, False)]
        remember(mode, currentRound, repr(board), times, said)
        if mode == "position":
            mine = board.getNext(self.first, currentRound)
            return mine if mine else random.choice(board.getNone(not self.first))
        return random.choice([d for d in range(4) if board.copy().move(self.first, d)])
"""
)

ERASER = (
    MEMORY
    + """
class Plaser:
    def __init__(self, is_First):
        self.first = is_First
        remember("init", is_First)

    def move(self, board, operations, scores, turn_number):
        burn()
        history = [tuple(map(tuple, swap)) for swap in self.move_history]
        seen = hashlib.sha256(board.tobytes()).hexdigest()
        remember("move", seen, len(operations), scores, turn_number, history,
                 list(self.used_time))
        return random.choice(operations) if operations else ((0, 0), (0, 1))
"""
)

PAPERIO = (
    MEMORY
    + """
def init(storage):
    storage["calls"] = 0

def load(stat, storage):
    remember("load", repr(stat["now"]), sorted(map(str, storage.items())))

def play(stat, storage):
    burn()
    storage["calls"] += 1
    storage[stat["now"]["turnleft"][0]] = len(stat["log"])
    digest = hashlib.sha256(repr(stat).encode()).hexdigest()
    remember("play", digest, stat["now"]["timeleft"], sorted(map(str, storage.items())))
    return random.choice("LRS")

def summary(result, stat, storage):
    remember("summary", result, len(stat["log"]), storage["calls"])
"""
)

BY_DIALECT = {
    "native": ("reversi", {}, NATIVE),
    "Player": ("duel2048", {"rounds": 30}, DUEL),
    "Plaser": ("eraser", {"turns": 16}, ERASER),
    "play": ("paperio", {"k": 12, "h": 21, "turns": 40}, PAPERIO),
}
"""Dialect → game, options, source of a watchful bot."""

BOTZONE_STARTED = """
import hashlib, json, random

told = input()
full = json.loads(told)
request = full["requests"][-1]
seen = [hashlib.sha256(told.encode()).hexdigest()[:16], random.random(), len(full["responses"])]
print(json.dumps({
    "response": random.choice(request["legal"]),
    "debug": f"{seen} {full.get('data')} {full.get('globaldata')}",
    "data": str(seen),
    "globaldata": f"{full.get('globaldata', '')[-40:]}+{len(full['responses'])}",
}))
"""
# It goes on for a moment after its answer, as a bot may that tidies up.
BOTZONE_KEPT = """
import hashlib, json, random, time

memory = []
told = input()
request = json.loads(told)["requests"][-1]
while True:
    memory.append((told, random.random()))
    print(json.dumps({
        "response": random.choice(request["legal"]),
        "debug": hashlib.sha256(repr(memory).encode()).hexdigest(),
    }))
    print(">>>BOTZONE_REQUEST_KEEP_RUNNING<<<", flush=True)
    time.sleep(0.01)
    told = input()
    request = json.loads(told)
"""
BOTZONE_BOTS = {"started for every turn": BOTZONE_STARTED, "kept running": BOTZONE_KEPT}
"""Bots of Botzone that get the request of all games."""
