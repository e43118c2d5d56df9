"""Git in the jail: takes packs of strangers apart, and answers fetches.

Nothing that was pushed is read by git outside of the jail, no repository exists outside of it, and
its limits hold for whatever a pack unpacks to. Hooks, configuration and attributes of a repository
do not exist there: the repository is made anew for each request, from its pack and its refs.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ludus import sandbox
from ludus.bots.temp_folders import TempFolder
from ludus.lang import Text
from ludus.sandbox import FinishedProgram, JailLevel
from ludus.sandbox.program import Limits, Program
from ludus.server.git.fsck_words import explain_git_error
from ludus.server.git.pack_scan import GitRefused, scan_pack
from ludus.server.git.tree_files import MAX_TREE_BYTES, SentFiles, read_tree_files

SECONDS = 20.0
"""CPU time for one request; twice as much time by the clock."""
MEMORY = 1 << 30
EMPTY_PACK = b""
ENVIRONMENT = {
    "HOME": "/nonexistent",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_PROTOCOL": "",
    "LC_ALL": "C.UTF-8",
    "GIT_CONFIG_COUNT": "6",
    "GIT_CONFIG_KEY_0": "pack.threads",
    "GIT_CONFIG_VALUE_0": "1",
    "GIT_CONFIG_KEY_1": "pack.windowMemory",
    "GIT_CONFIG_VALUE_1": "64m",
    "GIT_CONFIG_KEY_2": "core.deltaBaseCacheLimit",
    "GIT_CONFIG_VALUE_2": "32m",
    "GIT_CONFIG_KEY_3": "core.hooksPath",
    "GIT_CONFIG_VALUE_3": "/dev/null",
    "GIT_CONFIG_KEY_4": "i18n.logOutputEncoding",
    "GIT_CONFIG_VALUE_4": "UTF-8",
    "GIT_CONFIG_KEY_5": "core.bigFileThreshold",
    "GIT_CONFIG_VALUE_5": "512m",
}
OPEN_REPOSITORY = r"""
set -e
step() { echo "$1" > /out/step; }
step repository
git init -q --bare --template= /tmp/r
cd /tmp/r
if [ -s /in/shallow ]; then cp /in/shallow shallow; fi
if [ -s /in/old.pack ]; then git index-pack --stdin < /in/old.pack > /dev/null; fi
if [ -s /in/page.pack ]; then git index-pack --stdin < /in/page.pack > /dev/null; fi
git update-ref --stdin < /in/old-refs
git symbolic-ref HEAD "$(cat /in/head)"
"""
RECEIVE = (
    OPEN_REPOSITORY
    + r"""
step pack
if [ -s /in/new.pack ]; then
  git index-pack --stdin --strict --fix-thin --max-input-size="$MAX_PACK" < /in/new.pack > /dev/null
fi
step links
cut -d ' ' -f 2 /in/updates > /tmp/tips
git rev-list --objects --quiet --stdin --not --all < /tmp/tips
number=0
while read -r old new ref; do
  step "type $ref"
  commit=$(git rev-parse --verify -q --end-of-options "$new^{commit}")
  case "$ref" in refs/heads/*) [ "$commit" = "$new" ] ;; esac
  step "history $ref"
  case "$old" in *[!0]*) git merge-base --is-ancestor "$old" "$new" ;; esac
  step "files $ref"
  echo "$commit" > "/out/$number.commit"
  git log -1 --format=%s "$commit" | head -c 1000 > "/out/$number.subject"
  list() { git ls-tree -r -l --full-tree "$@" "$commit"; }
  list -z 2> /dev/null | head -c "$MAX_TREE" > "/out/$number.tree"
  if [ "$(stat -c %s "/out/$number.tree")" -lt "$MAX_TREE" ]; then
    list > /tmp/tree
    if awk -v most="$MAX_FILES" '{ size += $4 } END { exit size > most }' /tmp/tree; then
      awk '$2 == "blob" { print $3 }' /tmp/tree | git cat-file --batch > "/out/$number.blobs"
    fi
  fi
  number=$((number + 1))
done < /in/updates
step refs
awk '{ print "update " $3 " " $2 }' /in/updates | git update-ref --stdin
step repack
git pack-objects -q --all --revs --stdout --delta-base-offset < /dev/null > /out/repository.pack
"""
)
FETCH = (
    OPEN_REPOSITORY
    + r"""
step fetch
git upload-pack --stateless-rpc --strict --timeout=30 /tmp/r < /in/request > /out/response
"""
)


@dataclass(frozen=True, slots=True)
class Repository:
    """Refs and the pack with their objects."""

    refs: Mapping[str, str]
    pack: bytes
    page_pack: bytes = EMPTY_PACK
    """Objects that are made for a fetch; ``pack`` has them too once a clone was pushed back."""

    @property
    def head(self) -> str:
        """The branch that a clone checks out."""
        return next(
            (name for name in ("refs/heads/main", "refs/heads/master") if name in self.refs),
            "refs/heads/main",
        )


EMPTY_REPOSITORY = Repository({}, EMPTY_PACK)


@dataclass(frozen=True, slots=True)
class RefUpdate:
    """A ref to be set; ``old`` consists of zeros if it is new."""

    old: str
    new: str
    ref: str


@dataclass(frozen=True, slots=True)
class ReceivedRef:
    """What a ref points to."""

    ref: str
    commit: str
    subject: str
    files: SentFiles
    """The files, as if they were uploaded one by one."""


@dataclass(frozen=True, slots=True)
class ReceivedPack:
    """What a pack brought, and the repository with it."""

    refs: tuple[ReceivedRef, ...]
    repository: Repository


def is_git_installed() -> bool:
    return shutil.which("git", path="/usr/local/bin:/usr/bin:/bin") is not None


def require_git() -> None:
    if not is_git_installed():
        raise GitRefused(
            "git is not installed on this server, so it takes no pushes;"
            " upload the bot on its page, or ask the server's operator to install git",
            "本服务器没有安装 git，无法接受推送；请在网页上上传，或请管理员安装 git",
            code="git_missing",
        )


def receive_pack(
    repository: Repository,
    pack: bytes,
    updates: Sequence[RefUpdate],
    *,
    max_pack: int,
    max_files: int,
    shallow: Sequence[str] = (),
    level: JailLevel | None = None,
) -> ReceivedPack:
    """Take a pack apart in the jail. Raises GitRefused with a sentence for who has pushed it.

    ``max_pack``: bytes of the pack, and of the repository with it. ``max_files``: bytes of the
    files of one commit. ``shallow``: commits whose parents are not there.
    """
    require_git()
    _check_pack(pack, max_pack)
    with TempFolder("git") as folder:
        lines = "".join(f"{each.old} {each.new} {each.ref}\n" for each in updates)
        inputs = {"new.pack": pack, "updates": lines.encode(), "shallow": _join_lines(shallow)}
        variables = {"MAX_PACK": max_pack, "MAX_TREE": MAX_TREE_BYTES, "MAX_FILES": max_files}
        _run(RECEIVE, folder, repository, inputs, variables, level)
        out = folder / "out"
        packed = (out / "repository.pack").read_bytes()
        if len(packed) > max_pack:
            raise too_large(max_pack)
        refs = {**repository.refs, **{each.ref: each.new for each in updates}}
        received = tuple(_read_ref(out, n, each.ref, max_files) for n, each in enumerate(updates))
        return ReceivedPack(received, Repository(refs, packed))


def answer_fetch(repository: Repository, request: bytes, level: JailLevel | None = None) -> bytes:
    """Answer a clone or a fetch."""
    require_git()
    with TempFolder("git") as folder:
        _run(FETCH, folder, repository, {"request": request}, {}, level)
        return (folder / "out" / "response").read_bytes()


def too_large(most: int) -> GitRefused:
    return GitRefused(
        f"the repository would have more than {most >> 20} MB, which is the limit here;"
        " remove large files from its history",
        f"仓库将超过上限 {most >> 20} MB；请从历史中移除大文件",
        code="payload_too_large",
    )


def _check_pack(pack: bytes, most: int) -> None:
    if len(pack) > most:
        raise too_large(most)
    if pack:
        scan_pack(pack)


def _join_lines(words: Sequence[str]) -> bytes:
    return "".join(f"{word}\n" for word in words).encode()


def _run(
    script: str,
    folder: Path,
    repository: Repository,
    inputs: Mapping[str, bytes],
    variables: Mapping[str, int],
    level: JailLevel | None,
) -> None:
    box, out = folder / "in", folder / "out"
    box.mkdir()
    out.mkdir()
    created = "".join(f"create {name} {id}\n" for name, id in repository.refs.items())
    fixed = {
        "old.pack": repository.pack,
        "page.pack": repository.page_pack,
        "old-refs": created.encode(),
        "head": repository.head.encode(),
    }
    for name, data in {**fixed, **inputs}.items():
        (box / name).write_bytes(data)
    program = Program(
        argv=("/bin/sh", "-c", script),
        files={"/in": box},
        outputs={"/out": out},
        cwd="/tmp",
        env={**ENVIRONMENT, **{name: str(value) for name, value in variables.items()}},
    )
    limits = Limits(
        memory=MEMORY,
        processes=16,
        file_size=256 << 20,
        scratch=384 << 20,
        output_bytes=384 << 20,
        output_files=200,
    )
    done = sandbox.run(program, seconds=SECONDS, limits=limits, level=level)
    if done.code != 0 or done.why is not None:
        raise _explain(done, _read_step(out))


def _read_step(out: Path) -> str:
    try:
        return (out / "step").read_text(errors="replace").strip()[:300]
    except OSError:
        return ""


def _explain(done: FinishedProgram, step: str) -> GitRefused:
    why: Text = explain_git_error(step, done.stderr, done.why)
    return GitRefused(why["en"], why["zh"], done.stderr[-2000:])


def _read_ref(out: Path, number: int, ref: str, max_files: int) -> ReceivedRef:
    tree = (out / f"{number}.tree").read_bytes()
    blobs = out / f"{number}.blobs"
    return ReceivedRef(
        ref,
        (out / f"{number}.commit").read_text().strip()[:64],
        (out / f"{number}.subject").read_bytes().decode("utf-8", "replace").strip()[:200],
        read_tree_files(tree, blobs.read_bytes() if blobs.exists() else None, max_files),
    )
