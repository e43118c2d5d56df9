"""By what bouts are recognised as copies of others.

The key of a bout is not stored in its record but computed from it: it says nothing that the record
does not, so records of any age have one, and none can claim a wrong one. Contests keep the keys of
their bouts, so that they need not open the records.
"""

from __future__ import annotations

import hashlib

import msgspec

from ludus.errors import LudusError
from ludus.match.record import Record, load_game
from ludus.rating.copies import DIGEST_CHARS, UNKNOWN, BoutKey


def compute_bout_key(record: Record) -> BoutKey:
    """What the bout is compared by to find copies; see ``ludus.rating.copies``.

    Bouts have the same start if game, options, programs (by seat) and opening are the same and, in
    a game whose bouts differ by their seed, also the seed. They are equal if moves, scores and
    faults are the same. The key is ``UNKNOWN`` if a program is: a person, or a bot without a
    digest; or if the game's rules are not here.
    """
    if not all(bot.digest for bot in record.bots):
        return UNKNOWN
    try:
        game, options = load_game(record)
    except LudusError:
        return UNKNOWN
    opening, moves = record.moves[: record.opening_moves], record.moves[record.opening_moves :]
    start = [
        record.game,
        record.version,
        options.as_json(),
        [bot.digest for bot in record.bots],
        opening,
        record.seed if game.is_seeded(options) else None,
    ]
    faults = [(fault.seat, fault.kind.value) for fault in record.faults]
    return BoutKey(_digest(start), _digest([moves, record.scores, faults]))


def _digest(facts: object) -> str:
    encoded = msgspec.json.encode(facts, order="deterministic")
    return hashlib.sha256(encoded).hexdigest()[:DIGEST_CHARS]
