"""``ludus doctor``: is everything in order on this machine?"""

from __future__ import annotations

from ludus.cli import findings, screen
from ludus.cli.command import command
from ludus.cli.findings import Level
from ludus.cli.options import JSON
from ludus.lang import tr


@command(en="Look whether everything is in order on this machine.", zh="检查本机运行环境。")
@JSON
def COMMAND(as_json: bool) -> int:
    from ludus.cli.machine import examine

    found = list(examine())
    healthy = all(finding.level is not Level.WRONG for finding in found)
    if as_json:
        facts = [finding.as_json() for finding in found]
        screen.print_json({"healthy": healthy, "findings": facts})
        return 0 if healthy else 1
    console = screen.out()
    for line in findings.lines(found):
        console.print(line)
    if not healthy:
        console.print()
        console.print(tr("something needs attention: see ✗", "有问题需要处理：见 ✗"), style="red")
    return 0 if healthy else 1
