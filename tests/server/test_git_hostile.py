"""Hostile pushes: each is refused with one sentence, and nothing is left of it."""

import os
import socket
import subprocess
import tempfile
import threading
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sql

from ludus.bots.temp_folders import PREFIX
from ludus.sandbox import JailLevel, list_levels
from ludus.scheduling.schema import GitPushRow, GitRepositoryRow, VersionRow
from ludus.server.admin import backup
from ludus.server.database import Database
from ludus.server.git import jailed_git
from tests.support.accounts import GOOD, Person, new_teacher, newcomer, register, upload
from tests.support.git_client import (
    GIT,
    Clone,
    HandMadePack,
    basic,
    entry_header,
    git_address,
    make_token,
    need_git,
    object_id,
    push_body,
    push_by_hand,
)
from tests.support.site import Site

need_git()

Files = dict[str, bytes | str]
REMARK = "MARK-OF-SUBJECT"


@pytest.fixture(scope="module", autouse=True)
def own_temporary_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """So that other tests' folders are not taken for what a push left."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tempfile, "tempdir", str(tmp_path_factory.mktemp("tmp")))
        yield


@pytest.fixture(scope="module", autouse=True)
def olga(shared: Site) -> Iterator[Person]:
    """The first account, in whatever order the tests come."""
    olga = register(shared, "Olga")
    olga.post(
        "/api/admin/settings", {"repository_megabytes": 4, "bots_per_game": 50}, method="PATCH"
    )
    yield olga


@pytest.fixture(scope="module")
def ann(shared: Site, olga: Person) -> Person:
    return newcomer(shared, "ann")


@pytest.fixture(scope="module")
def token(ann: Person) -> str:
    return make_token(ann)


@pytest.fixture(scope="module")
def bot(ann: Person) -> dict[str, Any]:
    return upload(ann)


def left_behind(site: Site) -> tuple[int, int, list[str], list[str]]:
    """Versions, repositories, and files of the home and of temporary folders."""
    with site.state.site.database.reading() as session:
        counts = [
            session.scalar(sql.select(sql.func.count()).select_from(table)) or 0
            for table in (VersionRow, GitRepositoryRow)
        ]
    home = sorted(str(path) for path in site.home.rglob("*") if "arena.db" not in path.name)
    aside = [name for name in os.listdir(tempfile.gettempdir()) if name.startswith(f"{PREFIX}git")]
    return counts[0], counts[1], home, aside


# With the real client


def commit_many(clone: Clone, count: int) -> None:
    """So many files, written to the index alone."""
    clone.commit({"bot.py": GOOD})
    blob = clone.git("rev-parse", "HEAD:bot.py").strip()
    lines = "".join(f"100644 {blob}\tdata/{n}.py\n" for n in range(count))
    (clone.folder / "lines").write_text(lines)
    clone.git("read-tree", "--empty")
    clone.git("-c", "alias.add-all=!git update-index --index-info < lines", "add-all")
    clone.git("commit", "-qm", "many")


REFUSED_TREES: dict[str, tuple[Callable[[Clone], object], str]] = {
    "a link": (
        lambda clone: clone.commit({"bot.py": GOOD, "out": "/etc/passwd"}),
        "out is a symbolic link; commit the file itself",
    ),
    "a submodule": (
        lambda clone: (
            clone.commit({"bot.py": GOOD}),
            clone.git("update-index", "--add", "--cacheinfo", f"160000,{clone.head},lib"),
            clone.git("commit", "-qm", "with a module"),
        ),
        "lib is a submodule, which is not fetched here; commit its files",
    ),
    "an LFS pointer": (
        lambda clone: clone.commit(
            {
                "bot.py": GOOD,
                "net.bin": b"version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 9\n",
            }
        ),
        "net.bin is stored with Git LFS, which is not fetched here; commit the file itself",
    ),
    "ten thousand files": (
        lambda clone: commit_many(clone, 10_000),
        "this commit has too many files: at most 500 are taken",
    ),
    "a large file": (
        lambda clone: clone.commit({"bot.py": GOOD, "zeros": bytes(9 << 20)}),
        "the files of this commit are too large: 8192 kB are allowed",
    ),
    "a large pack": (
        lambda clone: clone.commit({"noise": os.urandom(5 << 20)}),
        "the repository would have more than 4 MB, which is the limit here;"
        " remove large files from its history",
    ),
    "names that differ in case": (
        lambda clone: clone.commit({"bot.py": GOOD, "Bot.py": GOOD}),
        "Bot.py and bot.py cannot be in the same folder on some systems",
    ),
    "no bot": (
        lambda clone: clone.commit({"one.py": GOOD, "two.py": GOOD}),
        "which of these files is the bot? Call it main.py, or add a ludus.toml: one.py, two.py",
    ),
    "nothing": (
        lambda clone: clone.commit({".gitignore": b"*"}),
        "this commit contains no file of a bot",
    ),
}


@pytest.mark.parametrize("case", REFUSED_TREES)
def test_a_tree_that_is_no_bot_is_refused_with_one_sentence(
    case: str, ann: Person, token: str, bot: dict[str, Any], tmp_path: Path
) -> None:
    prepare, sentence = REFUSED_TREES[case]
    clone = Clone.make(tmp_path)
    prepare(clone)
    before = left_behind(ann.site)
    said = clone.git("push", git_address(ann, bot["id"], token), "HEAD:main", fails=True)
    assert f"[remote rejected] HEAD -> main ({sentence})" in said
    assert left_behind(ann.site) == before


def test_hooks_and_settings_in_a_push_are_only_files(
    ann: Person, token: str, tmp_path: Path
) -> None:
    """A hooks folder is stored like any other; nothing of it is run."""
    bot, witness = upload(ann), tmp_path / "witness"
    hook = f"#!/bin/sh\ntouch {witness}\n".encode()
    files: Files = {"bot.py": GOOD, ".gitattributes": b"* filter=x\n"}
    files |= {f"hooks/{name}": hook for name in ("pre-receive", "post-update", "update")}
    clone = Clone.make(tmp_path / "mine", files)
    for path in (clone.folder / "hooks").iterdir():
        path.chmod(0o755)
    clone.commit({})
    clone.git("push", git_address(ann, bot["id"], token), "main")
    stored = ann.get(f"/api/bots/{bot['id']}")["versions"][0]
    assert "hooks/update" in ann.get(f"/api/versions/{stored['id']}/files")
    assert not witness.exists()


def test_refs_are_never_moved_back_deleted_or_made_elsewhere(
    ann: Person, token: str, tmp_path: Path
) -> None:
    bot = upload(ann)
    address = git_address(ann, bot["id"], token)
    clone = Clone.make(tmp_path, {"bot.py": GOOD})
    clone.git("tag", "v1")
    clone.git("push", address, "main", "v1")
    first = clone.head
    clone.git("commit", "-q", "--amend", "-m", "another past")
    said = clone.git("push", "--force", address, "main", fails=True)
    assert "(the history of main was rewritten, and versions exist of what it was;" in said
    assert "cannot be moved" in clone.git("push", "-f", address, "HEAD:refs/tags/v1", fails=True)
    said = clone.git("push", address, ":main", fails=True)
    assert "(nothing can be deleted here: it is a version)" in said
    clone.git("reset", "-q", "--hard", first)
    clone.commit({"bot.py": GOOD + b"#"}, "second")
    said = clone.git("push", address, "HEAD:feature", fails=True)
    assert "only the branches main and master and tags become versions" in said
    assert "refs/notes/x" in clone.git("push", address, "HEAD:refs/notes/x", fails=True)
    assert [v["number"] for v in ann.get(f"/api/bots/{bot['id']}")["versions"]] == [2, 1]
    listed = clone.git("ls-remote", address).split()
    assert set(listed[1::2]) == {"HEAD", "refs/heads/main", "refs/heads/web", "refs/tags/v1"}
    commits = dict(zip(listed[1::2], listed[0::2], strict=True))
    assert {id for ref, id in commits.items() if ref != "refs/heads/web"} == {first}
    clone.git("clone", "-q", "--depth=1", f"file://{clone.folder}", "shallow")
    shallow = Clone(tmp_path / "shallow")
    shallow.commit({"bot.py": GOOD + b"##"}, "third")
    said = shallow.git("push", git_address(ann, upload(ann)["id"], token), "main", fails=True)
    assert "(this clone has only part of the history; run git fetch --unshallow" in said


def test_only_owners_with_the_right_token_push_or_clone(
    ann: Person, token: str, bot: dict[str, Any], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    eve = newcomer(ann.site, "eve")
    clone = Clone.make(tmp_path, {"bot.py": GOOD})
    reading, uploading = make_token(ann, "read"), make_token(ann, "upload")
    cases = [
        (git_address(eve, bot["id"], make_token(eve)), "that is not yours to do"),
        (git_address(ann, bot["id"], "ludus-wrong"), "this token is wrong, has expired"),
        (git_address(ann, bot["id"], reading), "it lacks the scope 'upload'"),
        (git_address(ann, 9999, token), "there is no such bot"),
        (f"{ann.site.url}/git/{bot['id']}/bot.git", "could not read Username"),
    ]
    for address, sentence in cases:
        said = clone.git("push", address, "main", fails=True)
        assert sentence in said, said
    for address, sentence in [*cases[:2], (git_address(ann, bot["id"], uploading), "'read'")]:
        assert sentence in clone.git("ls-remote", address, fails=True)
    assert "没有权限" in clone.git(
        "push", cases[0][0], "main", fails=True, LC_ALL="zh_CN.UTF-8", LANGUAGE="zh_CN"
    )
    answer = ann.ask(f"/git/{bot['id']}/bot.git/info/refs?service=git-upload-pack")
    assert answer.status == 401 and "Basic" in answer.headers["www-authenticate"]
    assert b"log in with your account's name and a token as the password" in answer.body
    assert ann.ask(f"/git/{bot['id']}/bot.git/info/refs").status == 403
    assert ann.ask(f"/git/{bot['id']}/bot.git/git-receive-pack", b"0000").status == 401
    assert token not in capfd.readouterr().err


def test_every_address_of_a_repository_is_closed_to_all_others(
    olga: Person, ann: Person, token: str, tmp_path: Path
) -> None:
    """Strangers, staff, and even the owner without a token."""
    bot = upload(ann)
    clone = Clone.make(tmp_path, {"bot.py": GOOD, "secret.txt": b"MARK-OF-CODE"}, subject=REMARK)
    clone.git("push", git_address(ann, bot["id"], token), "main")
    teacher, eve = new_teacher(olga), newcomer(ann.site, "eve")
    secrets = {person.name: make_token(person) for person in (olga, teacher, eve)}
    sent = push_body(b"", "1" * 40, old=clone.head)
    wanted = b"0032want %s\n00000009done\n" % clone.head.encode()
    cases = {
        "info/refs?service=git-upload-pack": None,
        "info/refs?service=git-receive-pack": None,
        "git-upload-pack": wanted,
        "git-receive-pack": sent,
    }
    for place, body in cases.items():
        path = f"/git/{bot['id']}/x.git/{place}"
        answers = [person.ask(path, body) for person in (Person(ann.site), ann, olga)]
        assert {answer.status for answer in answers} == {401}
        answers += [
            ann.site.ask(path, body, headers={"Authorization": basic(name, secret)})
            for name, secret in secrets.items()
        ]
        assert {answer.status for answer in answers[3:]} == {403}
        for answer in answers:
            assert clone.head.encode() not in answer.body and REMARK.encode() not in answer.body
        mine = ann.site.ask(path, body, headers={"Authorization": basic("", token)})
        assert mine.status == 200 and mine.headers["cache-control"] == "no-store"
    shown = ann.site.ask(f"/api/bots/{bot['id']}").body + eve.ask("/api/bots").body
    assert clone.head.encode() not in shown and REMARK.encode() not in shown


# By hand: what the real client does not send


def blob_bomb(declared: int = 80 << 20) -> tuple[bytes, str]:
    """A blob of 80 megabytes in 80 kilobytes; it may say that it is smaller."""
    pack = HandMadePack()
    packer = zlib.compressobj(1)
    packed = b"".join(packer.compress(bytes(1 << 24)) for _ in range(5)) + packer.flush()
    pack.objects.append(entry_header(3, declared) + packed)
    tree = pack.add_tree(("100644", b"bot.py", "11" * 20))
    commit = pack.add_commit(tree)
    return pack.data(), commit


def tree_bomb() -> tuple[bytes, str]:
    """Ten levels of ten folders each: ten thousand million files in a few hundred bytes."""
    pack = HandMadePack()
    id, mode = pack.add("blob", GOOD), "100644"
    for _ in range(10):
        id = pack.add_tree(*((mode, b"f%d" % n, id) for n in range(10)))
        mode = "40000"
    return_commit = pack.add_commit(id)
    return pack.data(), return_commit


def delta_bomb() -> tuple[bytes, str]:
    """Two deltas that repeat their bases sixty times: 64 kB become 225 MB."""
    pack = HandMadePack()
    size = 1 << 16
    base = pack.add("blob", bytes(size))
    for _ in range(2):
        copy = b"\xf0" + size.to_bytes(3, "little")
        delta = varint(size) + varint(60 * size) + 60 * copy
        pack.add_delta(base, len(delta), delta)
        size *= 60
        base = "22" * 20
    commit = pack.add_commit(pack.add_tree(("100644", b"bot.py", base)))
    return pack.data(), commit


def varint(number: int) -> bytes:
    found = bytearray()
    while number >= 0x80:
        found.append((number & 0x7F) | 0x80)
        number >>= 7
    return bytes([*found, number])


def _finish(pack: HandMadePack, blob: str, names: tuple[bytes, ...], mode: str) -> str:
    return pack.add_commit(pack.add_tree(*((mode, name, blob) for name in names)))


def named(*names: bytes, mode: str = "100644") -> Callable[[], tuple[bytes, str]]:
    def make() -> tuple[bytes, str]:
        pack = HandMadePack()
        commit = _finish(pack, pack.add("blob", GOOD), names, mode)
        return pack.data(), commit

    return make


def nested(folder: bytes, name: bytes) -> Callable[[], tuple[bytes, str]]:
    def make() -> tuple[bytes, str]:
        pack = HandMadePack()
        inner = pack.add_tree(("100755", name, pack.add("blob", b"#!/bin/sh\ntouch /tmp/owned\n")))
        commit = pack.add_commit(pack.add_tree(("40000", folder, inner)))
        return pack.data(), commit

    return make


def damaged() -> tuple[bytes, str]:
    data, commit = named(b"bot.py")()
    return data[:40] + b"\0" + data[41:], commit


def missing_blob() -> tuple[bytes, str]:
    pack = HandMadePack()
    commit = pack.add_commit(pack.add_tree(("100644", b"bot.py", object_id("blob", b"absent"))))
    return pack.data(), commit


def endless() -> tuple[bytes, str]:
    data, commit = named(b"bot.py")()
    return data[:8] + b"\x7f\xff\xff\xff" + data[12:], commit


def tip_is_a_tree() -> tuple[bytes, str]:
    pack = HandMadePack()
    tree = pack.add_tree(("100644", b"bot.py", pack.add("blob", GOOD)))
    return pack.data(), tree


HAND_MADE: dict[str, tuple[Callable[[], tuple[bytes, str]], str]] = {
    "a blob bomb": (blob_bomb, "what you pushed takes too much to unpack: more than 64 MB"),
    "a hidden bomb": (lambda: blob_bomb(100), "the pack that was pushed is damaged"),
    "a delta bomb": (delta_bomb, "what you pushed takes too much to unpack: more than 64 MB"),
    "a tree bomb": (tree_bomb, "this commit has too many files: at most 500 are taken"),
    "dot dot": (named(b".."), "git refuses what you pushed: a path contains .."),
    "dot git": (nested(b".git", b"config"), "git refuses what you pushed: a path contains .git"),
    "dot GIT": (nested(b".GiT", b"config"), "git refuses what you pushed: a path contains .git"),
    "short git": (nested(b"git~1", b"config"), "git refuses what you pushed: a path contains .git"),
    "a slash": (named(b"/etc/passwd"), "git refuses what you pushed: a file name contains a slash"),
    "a slash inside": (named(b"a/../../b"), "git refuses what you pushed: a file name contains"),
    "backslashes": (named(b"..\\..\\b.py"), "cannot be the name of a bot's file"),
    "a control character": (named(b"a\nb.py"), "cannot be the name of a bot's file"),
    "no name": (named(b""), "git refuses what you pushed: |the pack that was pushed is damaged"),
    "twice": (named(b"bot.py", b"bot.py"), "a folder has two files of the same name"),
    "a device": (named(b"bot.py", mode="60000"), "bot.py is a submodule"),
    "damaged": (damaged, "the pack that was pushed is damaged"),
    "endless": (endless, "objects were pushed at once; at most 50000 are taken"),
    "missing": (missing_blob, "objects are missing in what you pushed; run git fsck"),
    "a tree": (tip_is_a_tree, "refs/heads/main does not point to a commit"),
    "not a pack": (lambda: (b"HELLO WORLD, THIS IS NOT A PACK", "1" * 40), "no pack with objects"),
    "nothing": (lambda: (b"", "1" * 40), "objects are missing in what you pushed"),
}


@pytest.mark.parametrize("case", HAND_MADE)
def test_a_hand_made_pack_is_refused_with_one_sentence(
    case: str, ann: Person, token: str, bot: dict[str, Any]
) -> None:
    make, sentences = HAND_MADE[case]
    pack, commit = make()
    before = left_behind(ann.site)
    answer = push_by_hand(ann, bot["id"], token, push_body(pack, commit))
    assert answer.status == 200
    text = answer.body.decode()
    assert text.startswith("000eunpack ok\n") and text.count("ng refs/heads/main ") == 1, text
    assert any(each in text for each in sentences.split("|")), text
    assert left_behind(ann.site) == before


@pytest.mark.parametrize("level", list(JailLevel))
def test_git_runs_in_jails_of_every_level(level: JailLevel) -> None:
    if level not in list_levels():
        pytest.skip(f"no jail of level {level} on this machine")
    pack, commit = named(b"bot.py")()
    update = jailed_git.RefUpdate("0" * 40, commit, "refs/heads/main")
    received = jailed_git.receive_pack(
        jailed_git.EMPTY_REPOSITORY,
        pack,
        [update],
        max_pack=1 << 20,
        max_files=1 << 20,
        level=level,
    )
    assert received.refs[0].files == [("bot.py", GOOD)]
    wanted = b"0032want %s\n00000009done\n" % commit.encode()
    assert b"PACK" in jailed_git.answer_fetch(received.repository, wanted, level)


def test_a_push_that_breaks_off_leaves_nothing(
    ann: Person, token: str, bot: dict[str, Any]
) -> None:
    pack, commit = named(b"bot.py")()
    body = push_body(pack, commit)
    head = (
        f"POST /git/{bot['id']}/bot.git/git-receive-pack HTTP/1.1\r\nHost: 127.0.0.1\r\n"
        f"Authorization: {basic('x', token)}\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    before = left_behind(ann.site)
    with socket.create_connection(("127.0.0.1", ann.site.port)) as connection:
        connection.sendall(head.encode() + body[: len(body) // 2])
    with socket.create_connection(("127.0.0.1", ann.site.port)) as connection:
        connection.sendall(head.encode() + body[:-1] + b"x")
        answer = connection.recv(4096) + connection.recv(4096)
    assert b"ng refs/heads/main" in answer, "the other one has ended before this one"
    assert left_behind(ann.site) == before


def test_of_pushes_at_the_same_time_one_is_taken(ann: Person, token: str, tmp_path: Path) -> None:
    bot = upload(ann)
    address = git_address(ann, bot["id"], token)
    clones = [Clone.make(tmp_path / f"{n}", {"bot.py": GOOD + b"#%d" % n}) for n in range(4)]
    said: list[tuple[bool, str]] = []

    def push(clone: Clone) -> None:
        assert GIT is not None
        done = subprocess.run(
            [GIT, "push", address, "main"], cwd=clone.folder, capture_output=True, check=False
        )
        said.append((done.returncode == 0, done.stderr.decode()))

    threads = [threading.Thread(target=push, args=(clone,)) for clone in clones]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [good for good, _ in said].count(True) == 1, said
    known = ("someone else pushed at the same time", "fetch first")
    assert all(good or any(each in text for each in known) for good, text in said), said
    assert [v["number"] for v in ann.get(f"/api/bots/{bot['id']}")["versions"]] == [2, 1]


def test_a_repository_is_backed_up_and_goes_with_its_bot(
    ann: Person, token: str, tmp_path: Path
) -> None:
    bot = upload(ann)
    address = git_address(ann, bot["id"], token)
    Clone.make(tmp_path / "mine", {"bot.py": GOOD}).git("push", address, "main")
    database = ann.site.state.site.database
    backup.write_backup(database, tmp_path / "backup.zip")
    restored = Database(str(tmp_path / "restored.db"))
    backup.restore_backup(tmp_path / "backup.zip", str(tmp_path / "restored.db"))
    with restored.reading() as session, database.reading() as now:
        row = session.get_one(GitRepositoryRow, bot["id"])
        assert row.pack == now.get_one(GitRepositoryRow, bot["id"]).pack
    restored.close()
    ann.delete(f"/api/bots/{bot['id']}")
    said = Clone(tmp_path / "mine").git("ls-remote", address, fails=True)
    assert "this bot is retired" in said
    with database.reading() as session:
        assert session.get(GitRepositoryRow, bot["id"]) is None
        gone = sql.select(GitPushRow).where(GitPushRow.bot_id == bot["id"])
        assert session.scalars(gone).first() is None


def test_a_server_without_git_says_so(
    ann: Person, token: str, bot: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jailed_git, "is_git_installed", lambda: False)
    clone = Clone.make(tmp_path, {"bot.py": GOOD})
    said = clone.git("push", git_address(ann, bot["id"], token), "main", fails=True)
    assert "git is not installed on this server, so it takes no pushes" in said
