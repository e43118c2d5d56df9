"""``ludus replay convert``: the originals' files ↔ Ludus records."""

from __future__ import annotations

from pathlib import Path

from ludus.cli.command import argument, command, option
from ludus.cli.values import RecordFile
from ludus.errors import LudusError
from ludus.lang import tr

TEXT = ".txt"


@command(
    en="Convert an original's record (.txt) to a Ludus record (.ludus), or back.",
    zh="把原平台的记录（.txt）转换为 Ludus 录像（.ludus），或反向转换。",
)
@argument("file", type=RecordFile(), en="The file to convert.", zh="要转换的文件。")
@argument(
    "out",
    type=RecordFile(),
    required=False,
    en="The new file; beside the old one if not given.",
    zh="新文件；默认放在原文件旁边。",
)
@option("--force", is_flag=True, en="Replace a file that exists.", zh="覆盖已有文件。")
def COMMAND(file: str, out: str | None, force: bool) -> int:
    from ludus.cli.replay.reading import is_original, read_true
    from ludus.match.record import SUFFIX, pack, write_whole

    path = Path(file).expanduser()
    foreign = is_original(path)
    record = read_true(path)
    suffix = SUFFIX if foreign else TEXT
    target = Path(out).expanduser() if out else path.with_suffix(suffix)
    if target.suffix != suffix:
        raise LudusError(
            f"{path} becomes a {suffix} file, but {target} does not end so",
            f"{path} 将转换为 {suffix} 文件，但 {target} 的后缀不符",
        )
    if target.exists() and not force:
        raise LudusError(
            f"{target} exists already; --force replaces it", f"{target} 已存在；--force 可覆盖"
        )
    if foreign:
        write_whole(target, pack(record))
    else:
        from ludus.originals.duel2048 import records

        write_whole(target, records.write(record).encode())
    print(tr(f"written: {target}", f"已写入：{target}"))
    return 0
