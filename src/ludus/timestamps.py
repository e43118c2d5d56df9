"""Times as databases keep them: ISO text in UTC, to the second, which sorts as it is."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo

from ludus.errors import LudusError


def now() -> str:
    return format_utc(datetime.now(UTC))


def now_plus(seconds: float) -> str:
    return format_utc(datetime.now(UTC) + timedelta(seconds=seconds))


def today() -> str:
    return now()[:10]


def until_tomorrow() -> int:
    """Seconds until ``today`` is another day."""
    moment = datetime.now(UTC)
    return 86400 - (moment.hour * 3600 + moment.minute * 60 + moment.second)


def format_utc(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def parse_time(given: str | None) -> str | None:
    """A time that somebody wrote; without an offset it counts as UTC."""
    if not given:
        return None
    try:
        moment = datetime.fromisoformat(given)
        return format_utc(moment if moment.tzinfo else moment.replace(tzinfo=UTC))
    except (ValueError, OverflowError):
        raise LudusError(
            f"{given[:40]!r} is no time like 2026-06-01T18:00:00Z",
            f"{given[:40]!r} 不是形如 2026-06-01T18:00:00Z 的时间",
        ) from None


def find_zone(name: str) -> tzinfo:
    """The time zone of that name, such as ``Asia/Shanghai``; UTC if there is none here."""
    try:
        return ZoneInfo(name) if name else UTC
    except (ValueError, KeyError, OSError):
        return UTC


def format_readable(written: str, zone: tzinfo | None) -> str:
    """``2026-06-01T10:00:07Z`` → ``2026-06-01 18:00 UTC+8``, for people; None: the zone of this
    machine. What is not a time stays as it is."""
    try:
        moment = datetime.fromisoformat(written).astimezone(zone)
    except (ValueError, OverflowError):
        return written
    minutes = round((moment.utcoffset() or timedelta()).total_seconds() / 60)
    hours, rest = divmod(abs(minutes), 60)
    sign = "" if not minutes else "+" if minutes > 0 else "−"
    shift = f"{sign}{hours}" if minutes else ""
    return f"{moment:%Y-%m-%d %H:%M} UTC{shift}" + (f":{rest:02d}" if rest else "")


def to_utc(written: str) -> str:
    """A time of a record as databases keep it; what is not a time stays as it is."""
    try:
        return format_utc(datetime.fromisoformat(written))
    except (ValueError, OverflowError):
        return written
