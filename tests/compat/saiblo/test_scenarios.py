"""Every scenario of the golden data, judged by each version of the protocol.

What our judger does otherwise than the recorded ones, and why, is in differences.json.
"""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ludus.compat.saiblo.command import find_typed_program
from ludus.compat.saiblo.report import JudgerReport
from ludus.compat.saiblo.run import judge_match
from ludus.compat.saiblo.settings import JudgerSettings
from ludus.compat.saiblo.versions import V1, V1_1, V2, ProtocolVersion
from ludus.sandbox import Program
from tests.support.talking import PYTHON
from tests.support.transcripts import PROBE, SCENARIOS, Transcript, golden, stdout_of

RECORDED = {"v1": "v1", "v1.1": "v11", "v2": "v2local"}
NAMES = sorted(path.stem for path in SCENARIOS.glob("*.json") if not path.stem.startswith("x_"))
DIFFERENCES: dict[str, Any] = json.loads(Path(__file__).with_name("differences.json").read_text())
CONFIGS: dict[str, Any] = {"v1": None, "v1.1": None, "v2": {"random_seed": 7}}
WAITS_FOR_MORE = 2.0
"""Seconds of silence after which a logic that waits for what will never come has waited enough;
no scenario but logic_hang is silent for longer."""


def probe(*words: object) -> Program:
    program = find_typed_program(f"{PYTHON} -IS {PROBE} {' '.join(map(str, words))}", PROBE.parent)
    assert program is not None
    return program


def judged(
    name: str, version: ProtocolVersion, folder: Path, ais: list[Program | None] | None = None
) -> tuple[Transcript, JudgerReport]:
    path = SCENARIOS / f"{name}.json"
    if ais is None:
        ais = [probe("ai", path, seat) for seat in range(seats_of(name))]
    transcript = Transcript()
    report = judge_match(
        probe("logic", path),
        ais,
        "replay.json" if version.config == "text" else str(folder / "replay.json"),
        JudgerSettings(
            version=version,
            config=CONFIGS[version.name],
            silence=10.0 if name == "logic_hang" else WAITS_FOR_MORE,
        ),
        tap=lambda direction, body, target=-1: transcript.add(direction, body),
    )
    return transcript, report


def seats_of(name: str) -> int:
    scenario = json.loads((SCENARIOS / f"{name}.json").read_text())
    return len(scenario["ai"])


def told(messages: list[Any]) -> list[Any]:
    """Messages to the logic as differences.json writes them."""
    return [
        {key: value for key, value in message["content"].items() if key != "player"}
        if message["player"] == -1
        else message["content"]
        for message in messages
    ]


LIKE_V1 = (
    *("ai_overlong", "ai_overlong_default_limit", "config_replay", "direct_forward_binary"),
    *("logic_bad_json", "logic_bad_target", "logic_crash_midgame", "logic_end_with_end_state"),
    *("logic_end_info_single_quotes", "logic_exit_before_end", "logic_hang", "multi_listen"),
    *("logic_missing_listen", "logic_missing_state", "logic_player_out_of_range"),
    *("logic_state_string", "logic_zero_length", "request_end_state", "state0_nested_content"),
    "watch_message",
)
"""Scenarios that v1.1 was recorded to judge as v1 does: tests/compat/saiblo plays some."""


def test_version_1_1_is_version_1_but_for_the_scenarios_that_are_judged_again() -> None:
    for name in LIKE_V1:
        first, second = golden(f"v1__{name}"), golden(f"v11__{name}")
        assert first.by_source() == second.by_source()
        assert first.to_players == second.to_players
    assert replace(V1_1, name="v1", errors_name_state=False, timeouts_name_seats=False) == V1


@pytest.mark.parametrize(
    ("version", "name"),
    [
        (version, name)
        for version in (V1, V1_1, V2)
        for name in NAMES
        if version is not V1_1 or name not in LIKE_V1
    ],
    ids=lambda value: value if isinstance(value, str) else value.name,
)
def test_a_scenario_goes_as_recorded(name: str, version: ProtocolVersion, tmp_path: Path) -> None:
    recorded = golden(f"{RECORDED[version.name]}__{name}")
    difference = DIFFERENCES[version.name].get(name, {})
    transcript, report = judged(name, version, tmp_path)

    found, wanted = transcript.by_source(), recorded.by_source()
    init, *end_states = found.pop(None)
    assert init == wanted.pop(None)[0]
    assert end_states == difference.get("end_states", [])
    for seat, messages in difference.get("to_logic", {}).items():
        assert told(found.pop(int(seat), [])) == messages
        wanted.pop(int(seat), None)
    assert found == wanted
    players = {
        **recorded.to_players,
        **{to: text.encode() for to, text in difference.get("to_players", {}).items()},
    }
    assert transcript.to_players == players
    assert report.reason == difference.get("stops_at", reason_of(name, version))


def reason_of(name: str, version: ProtocolVersion) -> str:
    """How the recorded match ended, as v1.1 tells it on its stdout."""
    if version is V2:
        fatal = name in ("logic_crash_midgame", "logic_exit_before_end")
        return "logic_run_error" if fatal else "ended"
    _, found, rest = stdout_of(f"v11__{name}").partition(b'"error_log": "')
    return rest.partition(b'"')[0].decode() if found else "ended"


@pytest.mark.parametrize("version", [V1, V1_1], ids=lambda version: version.name)
def test_an_ai_that_cannot_be_started_is_0_in_the_player_list(
    version: ProtocolVersion, tmp_path: Path
) -> None:
    path = SCENARIOS / "x_ai_start_failure.json"
    transcript, report = judged(
        "x_ai_start_failure", version, tmp_path, [None, probe("ai", path, 1)]
    )
    recorded = golden(f"{RECORDED[version.name]}__x_ai_start_failure")
    assert transcript.to_logic == recorded.to_logic
    assert report.scores == [0.0, 1.0]
    assert [seat.kind for seat in report.seats] == [0, 1]


def test_a_file_that_is_no_program_is_0_in_the_player_list(tmp_path: Path) -> None:
    broken = tmp_path / "ai"
    broken.write_text("neither a script nor a binary")
    broken.chmod(0o755)
    program = find_typed_program("./ai", tmp_path)
    path = SCENARIOS / "x_ai_start_failure.json"
    transcript, _ = judged("x_ai_start_failure", V2, tmp_path, [program, probe("ai", path, 1)])
    assert transcript.to_logic[0]["player_list"] == [0, 1]
