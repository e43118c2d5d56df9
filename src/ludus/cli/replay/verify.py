"""``ludus replay verify``: checks records by simulating them."""

from __future__ import annotations

import pkgutil
from pathlib import Path
from typing import Any

from ludus.cli.command import argument, command
from ludus.cli.errors import print_error
from ludus.cli.options import JSON_OPTION
from ludus.cli.param_types import FileParam
from ludus.errors import LudusError
from ludus.lang import Text, tr, translate

EXIT_VERIFIED, EXIT_FAILED = 0, 2
PROVED_TEXT = Text(
    "Proved: the moves, and the result where no seat failed."
    " Not proved: who played, the times, why a seat failed.",
    "已证明：着法，以及无座位出错时的结果。未证明：由谁下出、用时、座位出错的原因。",
)


@command(
    en="Simulate records and compare: the rules prove the moves and, if no seat failed, scores and"
    " reason; names, digests, times and the reasons of faults cannot be verified."
    " A judge of Botzone is given the recorded answers again."
    " Exit code 0: all are valid; 2: one is invalid or cannot be read.",
    zh="重新演算录像并比较：规则证明着法，以及无座位出错时的得分和结束原因；"
    "名称、摘要、用时和座位出错的原因无法验证。"
    "Botzone 裁判程序会再次收到录像中的回答。"
    "退出码 0：全部有效；2：有无效或无法读取的。",
)
@argument(
    "files",
    type=FileParam(),
    nargs=-1,
    metavar="[FILE…]",
    en="Records, or folders of them; the record saved last if not given.",
    zh="录像，或装有录像的文件夹；默认为最近保存的录像。",
)
@JSON_OPTION
def COMMAND(files: tuple[str, ...], as_json: bool) -> int:
    from ludus.cli.output import print_json
    from ludus.cli.replay.reading import find_record_files
    from ludus.match.record_files import find_newest_record

    found: dict[Path, LudusError | None] = {}
    for path in find_record_files(files) if files else [find_newest_record()]:
        found[path] = _verify(path, quiet=as_json)
    if as_json:
        print_json({"records": [_as_json(path, error) for path, error in found.items()]})
    elif None in found.values():
        print(translate(PROVED_TEXT))
    return EXIT_FAILED if any(found.values()) else EXIT_VERIFIED


def _as_json(path: Path, error: LudusError | None) -> dict[str, Any]:
    return {"file": str(path), "valid": error is None, "error": error and error.as_json()}


def _verify(path: Path, quiet: bool) -> LudusError | None:
    """What is wrong with a record; it is printed as well, unless ``quiet``."""
    from ludus.compat.reading import read
    from ludus.match.record import load_game
    from ludus.match.replay import verify

    try:
        record = read(path)
        game, _ = load_game(record)
    except LudusError as error:
        if not quiet:
            print_error(str(error), error.detail)
        return error
    try:
        verify(record)
        if game.reruns:
            pkgutil.resolve_name(game.reruns)(record)
    except LudusError as error:
        if not quiet:
            print(f"{path}{tr(': ', '：')}{error}")
        return error
    if not quiet:
        print(f"{path}{tr(': ok', '：有效')}")
    return None
