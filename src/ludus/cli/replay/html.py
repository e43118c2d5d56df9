"""``ludus replay html``: a bout as one HTML file."""

from __future__ import annotations

from pathlib import Path

from ludus.cli.command import argument, command, option
from ludus.cli.param_types import RecordFile
from ludus.errors import LudusError
from ludus.lang import tr


@command(
    en="Write a record as one HTML file that opens in any browser, without Ludus.",
    zh="把录像写成一个 HTML 文件，无需 Ludus 即可在任何浏览器中打开。",
)
@argument(
    "file",
    type=RecordFile(),
    required=False,
    en="The record; the one saved last if not given.",
    zh="录像；默认为最近保存的。",
)
@option(
    "-o",
    "--out",
    type=RecordFile(),
    en="The HTML file; beside the record if not given.",
    zh="HTML 文件；默认放在录像旁边。",
)
@option("--force", is_flag=True, en="Replace a file that exists.", zh="覆盖已有文件。")
def COMMAND(file: str | None, out: str | None, force: bool) -> int:
    from ludus.compat.reading import read_true
    from ludus.match import record_files
    from ludus.match.record import write_whole
    from ludus.server.live.film import film_of
    from ludus.server.records.standalone_page import html_of

    path = Path(file).expanduser() if file else record_files.newest()
    target = Path(out).expanduser() if out else path.with_suffix(".html")
    if target.exists() and not force:
        raise LudusError(
            f"{target} exists already; --force replaces it", f"{target} 已存在；--force 可覆盖"
        )
    film = film_of(read_true(path), path.stem, "file")
    write_whole(target, html_of(film.encode()))
    print(tr(f"written: {target}", f"已写入：{target}"))
    return 0
