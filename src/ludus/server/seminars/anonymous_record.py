"""A record that says how a bout was played, and nothing about who played it."""

from __future__ import annotations

import string

import msgspec
from msgspec import UNSET

from ludus.match.record import Record, RecordedBot
from ludus.match.verdict import FAULT_NAMES, SeatFault


def make_anonymous(record: Record) -> Record:
    """A copy in which seats are called A, B, …: without names, digests of programs, dates, what
    bots wrote, and all else that leads to a bot or a person. Moves and their times stay."""
    bots = [RecordedBot(name_seat(seat), "", bot.isolation) for seat, bot in enumerate(record.bots)]
    times = msgspec.structs.replace(
        record.times, began="", load=[], usage=UNSET, origin=UNSET, start=UNSET
    )
    faults = [
        SeatFault(fault.seat, fault.kind, dict(FAULT_NAMES[fault.kind])) for fault in record.faults
    ]
    copy = msgspec.structs.replace(record, bots=bots, times=times, faults=faults)
    return copy.with_checksum()


def name_seat(seat: int) -> str:
    """What a seat is called in a seminar, in every language: A, B, …"""
    letters = string.ascii_uppercase
    return letters[seat] if seat < len(letters) else f"{letters[seat % 26]}{seat // 26}"
