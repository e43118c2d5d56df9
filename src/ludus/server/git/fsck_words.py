"""What git says of a pack that it refuses, as a sentence for the person who pushed it."""

from __future__ import annotations

import re

from ludus.lang import Text

FSCK_REASONS = {
    "hasDotgit": Text("a path contains .git", "有路径包含 .git"),
    "hasDotdot": Text("a path contains ..", "有路径包含 .."),
    "hasDot": Text("a path contains the folder .", "有路径包含文件夹 ."),
    "fullPathname": Text("a file name contains a slash", "有文件名包含斜杠"),
    "emptyName": Text("a file has no name", "有文件没有名称"),
    "duplicateEntries": Text("a folder has two files of the same name", "有文件夹内出现同名文件"),
    "treeNotSorted": Text("a folder is not in git's order", "有文件夹的顺序不符合 git 的规定"),
    "nullSha1": Text("a path points to nothing", "有路径不指向任何对象"),
    "badFilemode": Text("a file has an impossible mode", "有文件的模式无效"),
    "zeroPaddedFilemode": Text("a file has an impossible mode", "有文件的模式无效"),
    "gitmodulesUrl": Text("the address of a submodule is not allowed", "子模块的地址不被允许"),
    "gitmodulesName": Text("the name of a submodule is not allowed", "子模块的名称不被允许"),
    "gitmodulesPath": Text("the path of a submodule is not allowed", "子模块的路径不被允许"),
    "gitmodulesSymlink": Text(".gitmodules is a symbolic link", ".gitmodules 是符号链接"),
}
"""By the name that git has for it."""
FSCK_PATTERN = re.compile(r"\b([a-z]+[A-Z]\w+): ")
TOO_LARGE_PATTERN = re.compile(r"pack exceeds maximum allowed size")
OUT_OF_MEMORY_PATTERN = re.compile(r"out of memory|malloc failed|mmap failed|No space left", re.I)
MISSING_PATTERN = re.compile(r"unresolved delta|bad object|missing|did not receive expected", re.I)


def explain_git_error(step: str, output: str, limit: Text | None) -> Text:
    """The sentence. ``step`` is what git was doing, ``limit`` what it broke of the jail's."""
    what, _, ref = step.partition(" ")
    if limit is not None or OUT_OF_MEMORY_PATTERN.search(output):
        why = limit or Text("it needs too much memory", "所需内存过大")
        return Text(
            f"what you pushed takes too much to unpack: {why['en']}",
            f"推送的内容解包代价过大：{why['zh']}",
        )
    if TOO_LARGE_PATTERN.search(output):
        return Text("the push is too large", "推送的内容过大")
    if what == "history":
        return Text(
            f"the history of {ref.removeprefix('refs/heads/')} was rewritten, and versions exist of"
            " what it was; pull, and push commits on top of it",
            f"{ref.removeprefix('refs/heads/')} 的历史被改写，而其已有版本；"
            "请先 pull，再在其上提交并推送",
        )
    if what == "type":
        return Text(f"{ref} does not point to a commit", f"{ref} 没有指向提交")
    if found := next((m[1] for m in FSCK_PATTERN.finditer(output) if m[1] in FSCK_REASONS), None):
        why = FSCK_REASONS[found]
        return Text(
            f"git refuses what you pushed: {why['en']}", f"git 拒绝了推送的内容：{why['zh']}"
        )
    if found := next((match[1] for match in FSCK_PATTERN.finditer(output)), None):
        return Text(f"git refuses what you pushed: {found}", f"git 拒绝了推送的内容：{found}")
    if what == "links" or MISSING_PATTERN.search(output):
        return Text(
            "objects are missing in what you pushed; run git fsck in your repository",
            "推送的内容缺少对象；请在你的仓库中运行 git fsck",
        )
    if what == "pack":
        return Text("the pack that was pushed is damaged", "推送的对象包已损坏")
    return Text("git could not read what was pushed", "git 无法读取推送的内容")
