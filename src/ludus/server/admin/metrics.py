"""Metrics in Prometheus' text format."""

from __future__ import annotations

import threading
import time
from collections import Counter
from typing import Any

import sqlalchemy as sql
from sqlalchemy.orm import Session

from ludus.scheduling.schema import BotRow, BoutRow, ContestRow, UserRow, VersionRow
from ludus.scheduling.schema.contests import LOCAL, RUNNING
from ludus.server.bots import bots

METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT"}
OTHER_METHOD = "OTHER"
"""Stands for every other method, since clients can invent any number of them."""
LATENCY_BUCKETS_S = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)


class RequestMetrics:
    """Counts the requests of a server; for any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._answers: Counter[tuple[str, int]] = Counter()
        self._bucket_counts = [0] * (len(LATENCY_BUCKETS_S) + 1)
        self._sum = 0.0
        self._began = time.time()

    def count_request(self, method: str, status: int, seconds: float) -> None:
        place = next(
            (n for n, limit in enumerate(LATENCY_BUCKETS_S) if seconds <= limit),
            len(LATENCY_BUCKETS_S),
        )
        with self._lock:
            self._answers[method if method in METHODS else OTHER_METHOD, status] += 1
            self._bucket_counts[place] += 1
            self._sum += seconds

    def format_lines(self) -> list[str]:
        with self._lock:
            answers, times, total = dict(self._answers), list(self._bucket_counts), self._sum
        found = ["# TYPE ludus_requests_total counter"]
        for (method, status), count in sorted(answers.items()):
            found.append(f'ludus_requests_total{{method="{method}",status="{status}"}} {count}')
        found.append("# TYPE ludus_request_seconds histogram")
        below = 0
        for limit, count in zip((*LATENCY_BUCKETS_S, "+Inf"), times, strict=True):
            below += count
            found.append(f'ludus_request_seconds_bucket{{le="{limit}"}} {below}')
        found += [f"ludus_request_seconds_sum {total:.6f}", f"ludus_request_seconds_count {below}"]
        found += ["# TYPE ludus_start_time_seconds gauge"]
        return [*found, f"ludus_start_time_seconds {self._began:.3f}"]


def format_gauges(session: Session, background_state: dict[str, Any]) -> list[str]:
    """Gauges from the database and the background process."""

    def count(which: sql.ColumnElement[bool]) -> int:
        return session.scalar(sql.select(sql.func.count()).where(which)) or 0

    values = {
        "users": count(UserRow.active.is_(True)),
        "bots": count(BotRow.retired.is_(False)),
        "versions": count(VersionRow.id > 0),
        "checks_waiting": count(VersionRow.state == bots.CHECKING),
        "contests_running": count(sql.and_(ContestRow.state == RUNNING, ContestRow.kind != LOCAL)),
        "bouts": session.scalar(sql.select(sql.func.max(BoutRow.id))) or 0,
        "background_alive": int(bool(background_state)),
        "workers": background_state.get("places", 0),
        "workers_busy": background_state.get("busy", 0),
    }
    found = []
    for name, value in values.items():
        found += [f"# TYPE ludus_{name} gauge", f"ludus_{name} {value}"]
    return found
