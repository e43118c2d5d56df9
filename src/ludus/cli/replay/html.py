"""``ludus replay html``: writes a bout as one HTML file."""

from __future__ import annotations

from pathlib import Path

from ludus.cli.command import argument, command, option
from ludus.cli.param_types import FileParam
from ludus.errors import LudusError
from ludus.lang import tr


@command(
    en="Write a record as one HTML file that opens in any browser, without Ludus.",
    zh="把录像写成一个 HTML 文件，无需 Ludus 即可在任何浏览器中打开。",
)
@argument(
    "file",
    type=FileParam(),
    required=False,
    en="The record; the one saved last if not given.",
    zh="录像；默认为最近保存的。",
)
@option(
    "-o",
    "--out",
    type=FileParam(),
    en="The HTML file; beside the record if not given.",
    zh="HTML 文件；默认放在录像旁边。",
)
@option("--force", is_flag=True, en="Replace a file that exists.", zh="覆盖已有文件。")
def COMMAND(file: str | None, out: str | None, force: bool) -> int:
    from ludus.compat.reading import read_verified
    from ludus.match import record_files
    from ludus.match.record import write_atomically
    from ludus.server.live.film import make_film
    from ludus.server.records.standalone_page import render_html

    path = Path(file).expanduser() if file else record_files.find_newest_record()
    target = Path(out).expanduser() if out else path.with_suffix(".html")
    if target.exists() and not force:
        raise LudusError(
            f"{target} exists already; --force replaces it", f"{target} 已存在；--force 可覆盖"
        )
    film = make_film(read_verified(path), path.stem, "file")
    write_atomically(target, render_html(film.encode()))
    print(tr(f"written: {target}", f"已写入：{target}"))
    return 0
