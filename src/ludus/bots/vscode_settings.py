"""Settings with which VS Code debugs, plays and checks a bot that is a folder.

Its Python extension brings debugpy along and starts ``ludus debug`` under it, so nothing has to be
installed beside Ludus.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ludus.lang import Text

SETTINGS_FOLDER = ".vscode"
LISTENING_PORT = 5678
BOT = "${workspaceFolder}"
"""The bot, as settings name the folder that is open."""


def make_vscode_settings(
    game: str, rivals: Sequence[str], lang: str, *, python: str, is_python: bool
) -> dict[Path, str]:
    """The files of ``.vscode`` in a bot's folder, with texts in one language.

    ``python`` is the interpreter with Ludus; empty, the one chosen in the editor is used, and
    ``ludus`` is on the path. Only Python bots can run inside a debugger.
    """
    files = {Path(SETTINGS_FOLDER, "tasks.json"): _tasks(game, rivals, lang, python)}
    if is_python:
        files[Path(SETTINGS_FOLDER, "launch.json")] = _launches(lang, python)
    return {
        path: json.dumps(value, ensure_ascii=False, indent=2) + "\n"
        for path, value in files.items()
    }


def _launches(lang: str, python: str) -> dict[str, Any]:
    last = Text("Ludus: my bot at a step of the last bout", "Ludus：最近一局的某一步")
    chosen = Text("Ludus: my bot at a step of a record", "Ludus：某份录像的某一步")
    attach = Text("Ludus: attach to ludus debug --listen", "Ludus：连接 ludus debug --listen")
    step = Text("Stop before the move of which step?", "停在哪一步走棋之前？")
    record = Text("The path of the record", "录像的路径")
    return {
        "version": "0.2.0",
        "configurations": [
            _launch(last[lang], [], python),
            _launch(chosen[lang], ["${input:record}"], python),
            {
                "name": attach[lang],
                "type": "debugpy",
                "request": "attach",
                "connect": {"host": "127.0.0.1", "port": LISTENING_PORT},
            },
        ],
        "inputs": [
            {"id": "step", "type": "promptString", "description": step[lang], "default": "1"},
            {"id": "record", "type": "promptString", "description": record[lang]},
        ],
    }


def _launch(name: str, record: list[str], python: str) -> dict[str, Any]:
    """A start of ``ludus debug`` under the editor's debugger, which it finds by itself."""
    return {
        "name": name,
        "type": "debugpy",
        "request": "launch",
        "module": "ludus",
        "args": ["debug", *record, "--bot", BOT, "--step", "${input:step}"],
        **({"python": python} if python else {}),
        "cwd": BOT,
        "console": "integratedTerminal",
        "env": {"PYTHONHASHSEED": "0"},
    }


def _tasks(game: str, rivals: Sequence[str], lang: str, python: str) -> dict[str, Any]:
    others = [rival or BOT for rival in rivals]
    program, *first = [python, "-m", "ludus"] if python else ["ludus"]
    tasks = (
        (
            Text("Ludus: play and watch", "Ludus：对局并观看"),
            ["play", game, BOT, *others, "--watch"],
        ),
        (Text("Ludus: check my bot", "Ludus：检查我的 AI"), ["check", BOT, "--game", game]),
        (
            Text("Ludus: why was the last bout lost", "Ludus：最近一局为什么输"),
            ["why", "--bot", BOT],
        ),
        (Text("Ludus: analyse the last bout", "Ludus：分析最近一局"), ["analyse"]),
    )
    return {
        "version": "2.0.0",
        "tasks": [
            {
                "label": label[lang],
                "type": "process",
                "command": program,
                "args": [*first, *words],
                "options": {"cwd": BOT},
                "problemMatcher": [],
            }
            for label, words in tasks
        ],
    }
