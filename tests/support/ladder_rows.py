"""A ladder with bouts and ratings, written into a server's database: nobody has to play them."""

from sqlalchemy.orm import Session

from ludus.scheduling.schema import (
    BoutRow,
    ContestRow,
    EntrantRow,
    MatchRow,
    RatingHistoryRow,
    RatingRow,
    RecordRow,
    SeatRow,
    TallyRow,
)
from ludus.server.database import Database
from ludus.timestamps import now


def write_ladder(
    database: Database, game: str, rated: dict[str, tuple[float, int | None, int | None]]
) -> int:
    """A new ladder, which plays no more; ``rated``: Elo, bot and version of each entrant, best
    first."""
    with database.writing() as session:
        ladder = ContestRow(
            kind="ladder", name=game, game=game, settings={}, state="over", created_at=now()
        )
        session.add(ladder)
        session.flush()
        for place, (name, (elo, bot, version)) in enumerate(rated.items(), 1):
            house = name if bot is None else ""
            session.add(
                EntrantRow(
                    contest_id=ladder.id,
                    name=name,
                    bot=house,
                    bot_id=bot,
                    version_id=version,
                    joined=1,
                    created_at=now(),
                )
            )
            known = {"contest_id": ladder.id, "entrant": name, "low": elo - 40, "high": elo + 40}
            counts = dict.fromkeys(("bouts", "won", "drawn", "lost", "faults"), 9)
            session.add(
                RatingRow(**known, **counts, place=place, elo=elo, separated=True, updated_at=now())
            )
            for day in range(1, 6):
                at = f"2026-01-0{day}T12:00:00Z"
                past = RatingHistoryRow(**known, elo=elo - 60 + 12 * day, created_at=at)
                session.add(past)
        return ladder.id


def write_bout(
    database: Database, ladder: int, names: tuple[str, str], scores: tuple[float, float]
) -> int:
    """A bout of a ladder, with its tally; its record is empty."""
    with database.writing() as session:
        number = _next_number(session, ladder)
        match = MatchRow(
            contest_id=ladder, id=f"m{number}", entrants=list(names), stage="", round=1, title={}
        )
        bout = BoutRow(
            contest_id=ladder,
            match_id=match.id,
            number=0,
            seed=1,
            names=list(names),
            scores=list(scores),
            figures=[30.0, 34.0],
            cpu=[0.1, 0.1],
            wall=[0.1, 0.1],
            verdict="rules",
            reason={"en": "discs", "zh": "棋子"},
            faults=[],
            plies=60,
            began_at="2026-01-01T00:00:00+00:00",
        )
        session.add(match)
        session.flush()
        session.add(bout)
        session.flush()
        session.add(RecordRow(bout_id=bout.id, data=b""))
        for seat, name in enumerate(names):
            session.add(SeatRow(bout_id=bout.id, seat=seat, contest_id=ladder, name=name))
        won, lost = int(scores[0] > scores[1]), int(scores[0] < scores[1])
        zero = {"drawn": 0, "first_faults": 0, "second_faults": 0, "latest": 0}
        session.merge(
            TallyRow(
                contest_id=ladder,
                first=names[0],
                second=names[1],
                won=won,
                lost=lost,
                bout_id=bout.id,
                **zero,
            )
        )
        return bout.id


def _next_number(session: Session, ladder: int) -> int:
    return session.query(MatchRow).filter(MatchRow.contest_id == ladder).count()
