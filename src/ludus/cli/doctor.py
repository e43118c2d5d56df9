"""``ludus doctor``: checks this machine."""

from __future__ import annotations

from ludus.cli import findings, output
from ludus.cli.command import command, option
from ludus.cli.options import JSON_OPTION
from ludus.findings import finding_as_json, is_passed
from ludus.lang import tr


@command(
    en="Check whether everything that Ludus needs works on this machine.", zh="检查本机运行环境。"
)
@option(
    "--clear-cache",
    is_flag=True,
    en="Only remove cached bots (unpacked and compiled) that are not in use.",
    zh="只清除缓存中未在使用的 AI（解压和编译的），不做检查。",
)
@JSON_OPTION
def COMMAND(clear_cache: bool, as_json: bool) -> int:
    from ludus.cli.diagnostics import run_diagnostics

    if clear_cache:
        return _clear_cache(as_json)
    found = list(run_diagnostics())
    healthy = is_passed(found)
    if as_json:
        facts = [finding_as_json(finding) for finding in found]
        output.print_json({"healthy": healthy, "findings": facts})
        return 0 if healthy else 1
    console = output.stdout_console()
    for line in findings.render_findings(found):
        console.print(line)
    if not healthy:
        console.print()
        console.print(tr("something needs attention: see ✗", "有问题需要处理：见 ✗"), style="red")
    return 0 if healthy else 1


def _clear_cache(as_json: bool) -> int:
    from ludus.bots import cache, cache_eviction

    freed = cache_eviction.clear(cache.cache_root())
    if as_json:
        output.print_json({"cache": str(cache.cache_root()), "freed": freed})
    else:
        size = f"{freed / 2**20:.1f} MB"
        output.stdout_console().print(
            tr(f"{size} were freed in {cache.cache_root()}", f"已释放 {size}：{cache.cache_root()}")
        )
    return 0
