"""``ludus completion``: prints tab completion scripts."""

from __future__ import annotations

from ludus.cli.command import argument, command
from ludus.cli.param_types import ChoiceParam
from ludus.lang import tr

SCRIPT_PATHS = {
    "bash": "~/.local/share/bash-completion/completions/ludus",
    "zsh": "~/.zfunc/_ludus",
    "fish": "~/.config/fish/completions/ludus.fish",
}


@command(
    en="Print the completion script of a shell. For this terminal:"
    ' eval "$(ludus completion bash)"; for good, save it as'
    " ~/.local/share/bash-completion/completions/ludus, ~/.zfunc/_ludus (zsh) or"
    " ~/.config/fish/completions/ludus.fish.",
    zh='打印自动补全脚本。在当前终端启用：eval "$(ludus completion bash)"；'
    "长期启用则存为 ~/.local/share/bash-completion/completions/ludus、~/.zfunc/_ludus（zsh）"
    "或 ~/.config/fish/completions/ludus.fish。",
)
@argument("shell", type=ChoiceParam(tuple(SCRIPT_PATHS)), en="Your shell.", zh="你的 shell。")
def COMMAND(shell: str) -> int:
    from click.shell_completion import get_completion_class

    from ludus.cli.main import COMPLETION_VARIABLE
    from ludus.cli.root import ROOT

    place = SCRIPT_PATHS[shell]
    kind = get_completion_class(shell)
    assert kind is not None
    maker = kind(ROOT, {}, "ludus", COMPLETION_VARIABLE)
    script = maker.source_template % maker.source_vars()
    print(script.rstrip())  # zsh needs the script's first line to come first
    print(tr("\n# To save it:", "\n# 保存方法："))
    print(f"#     mkdir -p {place.rpartition('/')[0]}; ludus completion {shell} > {place}")
    if shell == "zsh":
        zshrc = "fpath+=~/.zfunc; autoload -Uz compinit; compinit"
        print(tr(f"# and in ~/.zshrc: {zshrc}", f"# 并在 ~/.zshrc 中加入：{zshrc}"))
    return 0
