"""A club that has played for long: people, bots, contests and very many bouts, written straight
into a database. Bouts have no films but for ``record``, which they share."""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import sqlalchemy as sql

from ludus.scheduling.schema import (
    BotRow,
    BoutRow,
    ContestRow,
    EntrantRow,
    GroupRow,
    MatchRow,
    RecordRow,
    SeatRow,
    UserRow,
    VersionRow,
)
from ludus.scheduling.schema.contests import CHALLENGE, CONTEST, LADDER, TEST
from ludus.scheduling.seat_facts import make_seat_facts
from ludus.timestamps import format_utc

GAMES = ("reversi", "tablut", "eraser", "ataxx", "duel2048")
"""The first is played most, the last very rarely."""
SHARES = (0.5, 0.3, 0.15, 0.049, 0.001)
HOUSE_BOTS = ("greedy", "random")
BATCH = 5000
END = datetime(2026, 6, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Size:
    """How much there is of everything."""

    people: int = 216
    bots: int = 400
    contests: int = 40
    challenges: int = 400
    tests: int = 200
    bouts: int = 100_000


Row = dict[str, Any]


class LargeClub:
    """Makes the rows of a club; the same seed makes the same ones."""

    def __init__(self, size: Size, seed: int = 1, record: bytes = b"", first_id: int = 1) -> None:
        self.size, self.record, self.first = size, record, first_id
        self.chance = random.Random(seed)
        self.entrants: dict[int, list[Row]] = {}
        self.contests: list[Row] = []

    def fill(self, connection: sql.Connection) -> None:
        for table, rows in self._make_rows():
            for start in range(0, len(rows), BATCH):
                connection.execute(sql.insert(table), rows[start : start + BATCH])
        for start in range(0, self.size.bouts, BATCH):
            self._fill_bouts(connection, start, min(BATCH, self.size.bouts - start))

    def _make_rows(self) -> Iterator[tuple[Any, list[Row]]]:
        first, size = self.first, self.size
        made = format_utc(END - timedelta(days=100))
        yield GroupRow, [{"id": first, "name": "Class 1", "join_code": f"join-{first}"}]
        people = [
            {
                "id": first + number,
                "name": f"student{number:03d}",
                "name_key": f"student{number:03d}",
                "display_name": f"Student {number}" if number % 3 else f"同学{number}",
                "email": "",
                "role": "student",
                "password_hash": "",
                "active": True,
                "language": "",
                "created_at": made,
            }
            for number in range(size.people)
        ]
        yield UserRow, people
        bots = [self._make_bot(number, made) for number in range(size.bots)]
        yield BotRow, bots
        yield VersionRow, [each for bot in bots for each in self._make_versions(bot, made)]
        self._make_contests(bots, made)
        yield ContestRow, self.contests
        yield EntrantRow, [each for rows in self.entrants.values() for each in rows]
        yield (
            MatchRow,
            [
                {
                    "contest_id": contest["id"],
                    "id": "m",
                    "entrants": [],
                    "stage": "",
                    "round": 1,
                    "title": {},
                }
                for contest in self.contests
            ],
        )

    def _make_bot(self, number: int, made: str) -> Row:
        stems = ("zealot", "minimax", "corner", "alphabet", "小棋手", "mcts")
        name = f"{stems[number % len(stems)]}-{number:03d}"
        return {
            "id": self.first + number,
            "game": self.chance.choices(GAMES, SHARES)[0],
            "name": name,
            "name_key": name,
            "user_id": self.first + number % self.size.people,
            "team_id": None,
            "description": "",
            "ladder_version_id": None,
            "retired": False,
            "created_at": made,
            "public_notes": False,
        }

    def _make_versions(self, bot: Row, made: str) -> Iterator[Row]:
        for number in range(1, 5):
            yield {
                "id": bot["id"] * 4 + number,
                "bot_id": bot["id"],
                "number": number,
                "created_at": made,
                "size_bytes": 1000,
                "digest": "0" * 64,
                "language": "python",
                "comment": "",
                "state": "good",
                "enter_ladder_when_checked": False,
                "check_result": None,
                "build_bytes": 0,
                "check_starts": 0,
            }

    def _make_contests(self, bots: list[Row], made: str) -> None:
        size = self.size
        kinds = (
            [(LADDER, game) for game in GAMES]
            + [(CONTEST, self._pick_game()) for _ in range(size.contests)]
            + [(CHALLENGE, self._pick_game()) for _ in range(size.challenges)]
            + [(TEST, self._pick_game()) for _ in range(size.tests)]
        )
        next_entrant = self.first
        for number, (kind, game) in enumerate(kinds):
            id = self.first + number
            playing = [bot for bot in bots if bot["game"] == game]
            count = {LADDER: len(playing), CONTEST: 24, CHALLENGE: 1, TEST: 2}[kind]
            chosen = self.chance.sample(playing, min(count, len(playing)))
            rows = [self._enter(id, bot, kind) for bot in chosen]
            rows += [self._enter_house(id, name) for name in HOUSE_BOTS]
            for row in rows:
                row["id"] = next_entrant
                next_entrant += 1
            self.entrants[id] = rows
            self.contests.append(self._make_contest(id, kind, game, number, made))

    def _pick_game(self) -> str:
        return self.chance.choices(GAMES, SHARES)[0]

    def _make_contest(self, id: int, kind: str, game: str, number: int, made: str) -> Row:
        title = {CONTEST: f"Cup {number} 春季赛", LADDER: game}.get(kind, f"{kind} {number}")
        return {
            "id": id,
            "kind": kind,
            "name": title,
            "game": game,
            "settings": {"game": game},
            "play_settings": {"game": game},
            "folder": "",
            "changes": 0,
            "state": "running" if kind == LADDER else "over",
            "stop_reason": None,
            "author_id": self.first + number % self.size.people,
            "group_id": self.first if kind == CONTEST and number % 4 == 0 else None,
            "hidden": kind == CONTEST and number % 7 == 0,
            "delay_s": 60 if kind == CONTEST and number % 5 == 0 else 0,
            "preset": "",
            "description": "",
            "created_at": made,
        }

    def _enter(self, contest_id: int, bot: Row, kind: str) -> Row:
        number = self.chance.randint(1, 4)
        name = bot["name"] if kind == CONTEST else f"{bot['name']} #{number}"
        version = bot["id"] * 4 + number
        return self._make_entrant(contest_id, name, bot["id"], version)

    def _enter_house(self, contest_id: int, name: str) -> Row:
        return self._make_entrant(contest_id, name, None, None) | {"bot": name}

    def _make_entrant(
        self, contest_id: int, name: str, bot_id: int | None, version: int | None
    ) -> Row:
        return {
            "contest_id": contest_id,
            "name": name,
            "bot": "",
            "bot_id": bot_id,
            "version_id": version,
            "digest": "",
            "seed": 0,
            "group": "",
            "dropped": False,
            "drop_cause": "",
            "drop_reason": "",
            "joined": 1,
            "left": 0,
            "created_at": format_utc(END),
        }

    def _fill_bouts(self, connection: sql.Connection, start: int, count: int) -> None:
        ladders = [each for each in self.contests if each["kind"] == LADDER]
        others = [each for each in self.contests if each["kind"] != LADDER]
        bouts: list[Row] = []
        seats: list[Row] = []
        for number in range(start, start + count):
            if self.chance.random() < 0.6 or not others:
                contest = self.chance.choices(ladders, SHARES)[0]
            else:
                contest = self.chance.choice(others)
            bout = self._make_bout(number, contest)
            bouts.append(bout)
            seats += self._make_seats(bout, self.entrants[contest["id"]])
        connection.execute(sql.insert(BoutRow), bouts)
        connection.execute(sql.insert(SeatRow), seats)
        if self.record:
            records = [{"bout_id": bout["id"], "data": self.record} for bout in bouts]
            connection.execute(sql.insert(RecordRow), records)

    def _make_bout(self, number: int, contest: Row) -> Row:
        chance = self.chance
        names = [each["name"] for each in chance.sample(self.entrants[contest["id"]], 2)]
        score = chance.choices((1.0, 0.0, 0.5), (46, 44, 10))[0]
        faults = []
        if chance.random() < 0.03:
            kinds = ("timeout", "illegal", "crash", "memory")
            kind = chance.choices(kinds, (600, 300, 99, 1))[0]
            faults = [{"seat": 0, "kind": kind, "why": {"en": "it failed", "zh": "出错了"}}]
            score = 0.0
        age = timedelta(minutes=self.size.bouts - number)
        return {
            "id": self.first + number,
            "contest_id": contest["id"],
            "match_id": "m",
            "number": number,
            "seed": number,
            "names": names,
            "scores": [score, 1 - score],
            "figures": [30.0, 34.0],
            "cpu": [0.25, 0.5],
            "wall": [1.0, 2.0],
            "verdict": "fault" if faults else "rules",
            "reason": {"en": "more discs", "zh": "棋子更多"},
            "faults": faults,
            "hung": False,
            "plies": 60,
            "began_at": format_utc(END - age),
            "start_digest": "",
            "moves_digest": "",
            "copied": False,
            "void": number % 1000 == 999,
        }

    def _make_seats(self, bout: Row, entrants: list[Row]) -> Iterator[Row]:
        by_name = {each["name"]: each for each in entrants}
        found = make_seat_facts(bout["scores"], bout["faults"], bout["began_at"], bout["wall"])
        for seat, (name, facts) in enumerate(zip(bout["names"], found, strict=True)):
            yield {
                "bout_id": bout["id"],
                "seat": seat,
                "contest_id": bout["contest_id"],
                "name": name,
                "bot_id": by_name[name]["bot_id"],
                "version_id": by_name[name]["version_id"],
                "void": bout["void"],
                "output": self.chance.randbytes(200) if seat else None,
                **facts._asdict(),
            }
