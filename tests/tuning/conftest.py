"""A cheap bot with numbers to tune, and the plan to tune it."""

from pathlib import Path

import pytest

from ludus.games.openings import resolve_openings
from ludus.games.registry import get
from ludus.tuning.plan import TuningPlan, find_bot, find_rival
from tests.support.tuning import TUNABLE, MakePlan


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LUDUS_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def make_plan(tmp_path: Path) -> MakePlan:
    """A plan of Reversi on 16 cells, in this process."""

    def make(
        text: str = TUNABLE, *, bot: str = "", bouts: int = 80, rival: str = "", **more: object
    ) -> TuningPlan:
        game = get("reversi")
        options = game.Options(size=4)
        path = tmp_path / "mine.py"
        path.write_text(text, encoding="utf-8")
        source, _, tunable = find_bot(bot or str(path), game)
        settings = {"isolate": False, "pairs": 2, **more}
        return TuningPlan(
            bot=source,
            source=tunable,
            game=game,
            options=options,
            clock=game.clock,
            openings=resolve_openings("random:2", game, options),
            bouts=bouts,
            rival=find_rival(rival, game, source) if rival else None,
            **settings,  # type: ignore[arg-type]
        )

    return make
