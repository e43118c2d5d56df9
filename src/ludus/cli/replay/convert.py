"""``ludus replay convert``: converts between the original platforms' files and records."""

from __future__ import annotations

from pathlib import Path

from ludus.cli.command import argument, command, option
from ludus.cli.param_types import FileParam
from ludus.errors import LudusError
from ludus.lang import tr


@command(
    en="Convert an original's file (.txt, .json, .zlog, .clog) to a Ludus record, or back.",
    zh="把原平台的文件（.txt、.json、.zlog、.clog）转换为 Ludus 录像，或反向转换。",
)
@argument("file", type=FileParam(), en="The file to convert.", zh="要转换的文件。")
@argument(
    "out",
    type=FileParam(),
    required=False,
    en="The new file; beside the old one if not given.",
    zh="新文件；默认放在原文件旁边。",
)
@option("--force", is_flag=True, en="Replace a file that exists.", zh="覆盖已有文件。")
def COMMAND(file: str, out: str | None, force: bool) -> int:
    from ludus.compat.formats import find_output_format, recognise
    from ludus.compat.reading import read_verified
    from ludus.match.record import SUFFIX, pack, write_atomically

    path = Path(file).expanduser()
    target = Path(out).expanduser() if out else None
    record = read_verified(path)
    if recognise(path) is not None:
        suffix, content = SUFFIX, pack(record)
        if target is not None and target.suffix != SUFFIX:
            raise LudusError(
                f"{path} is converted to a {SUFFIX} file, but {target} has another suffix",
                f"{path} 将转换为 {SUFFIX} 文件，但 {target} 的后缀不符",
            )
    else:
        original = find_output_format(record.game, target.suffix if target else None)
        suffix, content = original.suffix, original.write(record)
    target = target or path.with_suffix(suffix)
    if target.exists() and not force:
        raise LudusError(
            f"{target} exists already; --force replaces it", f"{target} 已存在；--force 可覆盖"
        )
    write_atomically(target, content)
    print(tr(f"written: {target}", f"已写入：{target}"))
    return 0
