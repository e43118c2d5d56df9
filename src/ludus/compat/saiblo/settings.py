"""What a match is judged by."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ludus.compat.saiblo.versions import V2, EarlyAnswerPolicy, ProtocolVersion
from ludus.sandbox import JailLevel, Limits, choose_level


@dataclass(frozen=True, slots=True)
class JudgerSettings:
    """The settings of one match. Times are in seconds."""

    version: ProtocolVersion = V2
    early: EarlyAnswerPolicy | None = None
    """None: what is usual in the version."""
    time: float = 3.0
    """How long a round lasts, until the logic sets it."""
    length: int = 2048
    """How many bytes an AI's answer may have, until the logic sets it."""
    freeze: bool = False
    """Whether AIs are stopped while the logic does not listen to them, from the first round on."""
    config: str | Mapping[str, Any] | None = None
    """Passed to the logic in the init message."""
    silence: float = 60.0
    """How long the logic may be silent when it is its turn to send something."""
    match_time: float = math.inf
    """How long the whole match may take."""
    level: JailLevel | None = None
    """How strongly programs are confined; None: as strongly as this machine can."""
    ai_limits: Limits = field(default_factory=lambda: Limits(processes=16))
    logic_limits: Limits = field(default_factory=lambda: Limits(processes=16))

    @property
    def jail_level(self) -> JailLevel:
        return self.level or choose_level()
