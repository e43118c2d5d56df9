"""Bots tied to repositories elsewhere: webhooks, fetched commits, commit statuses, and limits."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ludus.errors import LudusError
from ludus.server.git import jailed_git
from ludus.server.git.commit_status import make_status_path
from ludus.server.git.remote_address import is_public, parse_address, resolve_host
from ludus.server.git.remote_fetch import RemoteAccess, fetch_commit, make_deploy_key
from tests.support.accounts import CRASHING, GOOD, Person, log_in, newcomer, upload
from tests.support.git_client import Clone, make_token, need_git
from tests.support.git_host import GitHost, git_host, webhook
from tests.support.site import Site, wait_for

need_git()
HOST_TOKEN = "host-token-4711"


@pytest.fixture(scope="module")
def host(playing_site: Site, tmp_path_factory: pytest.TempPathFactory) -> Iterator[GitHost]:
    with git_host(tmp_path_factory.mktemp("host"), HOST_TOKEN) as host:
        olga = log_in(playing_site, "Olga")
        olga.post("/api/admin/settings", {"git_hosts": [host.name]}, "PATCH")
        yield host


@pytest.fixture(scope="module")
def ann(playing_site: Site) -> Person:
    return newcomer(playing_site, "ann")


def tie(person: Person, bot: int, host: GitHost, project: str, kind: str = "gitea") -> str:
    asked = {"url": host.url(project), "kind": kind, "token": HOST_TOKEN}
    return str(person.post(f"/api/bots/{bot}/git/remote", asked, "PUT")["secret"])


def announce(site: Site, bot: int, sent: tuple[bytes, dict[str, str]]) -> Any:
    body, headers = sent
    return site.ask(f"/api/webhooks/{bot}", body, headers=headers, method="POST")


def settled(person: Person, bot: int) -> dict[str, Any]:
    """The last push, once it is fetched and checked."""
    found: list[Any] = []

    def over() -> bool:
        found[:] = person.get(f"/api/bots/{bot}/git")["pushes"][:1]
        return found[0]["state"] != "waiting" and found[0]["check"] != "checking"

    wait_for(over, 60)
    push: dict[str, Any] = found[0]
    return push


def test_pushes_to_a_host_become_versions_and_statuses(
    ann: Person, host: GitHost, tmp_path: Path
) -> None:
    bot = upload(ann)
    bare = host.make("ann/zealot")
    clone = Clone.make(tmp_path, {"bot.py": CRASHING})
    clone.commit({"bot.py": GOOD}, "second")
    clone.git("push", "-q", str(bare), "main")
    secret = tie(ann, bot["id"], host, "ann/zealot", "github")
    wrong = webhook("github", "wrong", "refs/heads/main", clone.head)
    assert announce(ann.site, bot["id"], wrong).status == 403
    sent = webhook("github", secret, "refs/heads/main", clone.head)
    answer = announce(ann.site, bot["id"], sent)
    assert (answer.status, answer.json) == (202, {"state": "waiting"})
    assert announce(ann.site, bot["id"], sent).json == {"state": "known"}
    push = settled(ann, bot["id"])
    assert (push["state"], push["check"], push["subject"]) == ("taken", "good", "second")
    assert (push["origin"], push["commit"]) == ("webhook", clone.head)
    version = ann.get(f"/api/bots/{bot['id']}")["versions"][0]
    assert (version["commit"], version["remark"], version["number"]) == (clone.head, "second", 2)
    last = host.wait_for_status("ann/zealot", "success")
    assert last["path"] == f"/api/v3/repos/ann/zealot/statuses/{clone.head}"
    assert last["authorization"] == f"Bearer {HOST_TOKEN}" and last["context"] == "ludus"
    assert last["description"] == f"{bot['name']} #2 passed its check"
    assert last["target_url"] == f"{ann.site.url}/bots/{bot['id']}"
    shown = str(ann.get(f"/api/bots/{bot['id']}/git"))
    assert secret not in shown and HOST_TOKEN not in shown and "'has_token': True" in shown


def test_each_host_has_its_own_shapes(ann: Person, host: GitHost, tmp_path: Path) -> None:
    """GitLab announces an annotated tag, Gitea a commit that is no bot; both are told."""
    clone = Clone.make(tmp_path, {"bot.py": CRASHING})
    clone.git("tag", "-a", "v1", "-m", "one")
    tag = clone.git("rev-parse", "v1").strip()
    clone.git("push", "-q", str(host.make("ann/lab")), "main", "v1")
    bot = upload(ann)["id"]
    secret = tie(ann, bot, host, "ann/lab", "gitlab")
    sent = webhook("gitlab", secret, "refs/tags/v1", tag)
    assert announce(ann.site, bot, sent).json == {"state": "waiting"}
    push = settled(ann, bot)
    assert (push["check"], push["commit"], push["ref"]) == ("refused", clone.head, "refs/tags/v1")
    last = host.wait_for_status("ann%2Flab", "failed")
    assert last["path"] == f"/api/v4/projects/ann%2Flab/statuses/{clone.head}"
    assert last["private-token"] == HOST_TOKEN and "ValueError" in last["description"]
    clone.commit({"link.py": "bot.py"}, "with a link")
    clone.git("push", "-q", str(host.make("ann/tea")), "main")
    secret = tie(ann, bot, host, "ann/tea")
    sent = webhook("gitea", secret, "refs/heads/main", clone.head)
    assert announce(ann.site, bot, sent).json == {"state": "waiting"}
    assert settled(ann, bot)["reason"]["zh"] == "link.py 是符号链接；请提交文件本身"
    last = host.wait_for_status("ann/tea", "failure")
    assert last["authorization"] == f"token {HOST_TOKEN}"
    assert "is a symbolic link" in last["description"]
    for ref in ("refs/heads/other", "refs/heads/main"):
        after = clone.head if ref.endswith("other") else "0" * 40
        assert announce(ann.site, bot, webhook("gitea", secret, ref, after)).json == {
            "state": "ignored"
        }


def test_what_a_host_does_wrong_is_said_in_one_sentence(
    ann: Person, host: GitHost, tmp_path: Path
) -> None:
    bot = upload(ann)["id"]
    clone = Clone.make(tmp_path, {"bot.py": GOOD})
    clone.git("push", "-q", str(host.make("ann/bad")), "main")
    secret = tie(ann, bot, host, "ann/bad")
    cases: list[tuple[str, str, str]] = [
        ("", "9" * 40, "the remote has no refs/heads/main with this commit any more; push again"),
        ("http://169.254.169.254/x.git", clone.head, "says that the repository is elsewhere"),
    ]
    for redirect, after, sentence in cases:
        host.redirect = redirect
        announce(ann.site, bot, webhook("gitea", secret, "refs/heads/main", after))
        push = settled(ann, bot)
        assert push["state"] == "refused" and sentence in push["reason"]["en"], push
    host.redirect = ""
    asked = {"url": host.url("ann/absent"), "kind": "gitea"}
    ann.post(f"/api/bots/{bot}/git/remote", asked, "PUT")
    ann.post(f"/api/bots/{bot}/git/fetch")
    assert "does not show this repository" in settled(ann, bot)["reason"]["en"]
    ann.delete(f"/api/bots/{bot}/git/remote")
    assert ann.ask(f"/api/bots/{bot}/git/fetch", {}).status == 404
    assert (
        announce(ann.site, bot, webhook("gitea", secret, "refs/heads/main", "1" * 40)).status == 403
    )


def test_only_owners_on_the_page_tie_a_bot(ann: Person, host: GitHost) -> None:
    bot = upload(ann)["id"]
    eve, program = newcomer(ann.site, "eve"), Person(ann.site, token=make_token(ann))
    asked = {"url": host.url("ann/zealot"), "kind": "gitea"}
    for person in (eve, program, log_in(ann.site, "Olga"), Person(ann.site)):
        answer = person.ask(f"/api/bots/{bot}/git/remote", asked, method="PUT")
        assert answer.status in (401, 403), answer.body
    assert eve.ask(f"/api/bots/{bot}/git").status == 403
    for url in (
        "file:///etc/passwd",
        "ext::sh -c touch% /tmp/x",
        "https://user:secret@example.org/a/b.git",
        "https://example.org/../b.git",
        "http://example.org/a/b.git",
        "git@-oProxyCommand=x:a/b.git",
        "ssh://git@localhost/--upload-pack=x",
        "https://127.0.0.1/a/b.git",
        "https://[::1]/a/b.git",
        "https://169.254.169.254/latest/meta-data",
        "ssh://git@10.0.0.1/a/b.git",
    ):
        answer = ann.ask(f"/api/bots/{bot}/git/remote", {**asked, "url": url}, method="PUT")
        assert answer.status == 400 and "secret" not in answer.body.decode(), (url, answer.body)


@pytest.mark.parametrize(
    "place,public",
    [
        ("8.8.8.8", True),
        ("10.1.2.3", False),
        ("127.0.0.1", False),
        ("169.254.169.254", False),
        ("100.64.0.1", False),
        ("0.0.0.0", False),
        ("224.0.0.1", False),
        ("::1", False),
        ("fd00::1", False),
        ("::ffff:10.0.0.1", False),
        ("2002:7f00:1::", False),
        ("2001:4860:4860::8888", True),
    ],
)
def test_only_public_addresses_are_public(place: str, public: bool) -> None:
    assert is_public(place) == public


def test_addresses_of_hosts_are_read_in_every_usual_shape() -> None:
    found = parse_address("git@github.com:ann/zealot.git", ())
    assert (found.scheme, found.user, found.host, found.port) == ("ssh", "git", "github.com", 22)
    assert found.project == "ann/zealot"
    assert make_status_path(found, "github", "1") == "/repos/ann/zealot/statuses/1"
    assert parse_address("https://git.example.org:8443/a/b/", ()).port == 8443
    with pytest.raises(LudusError, match="no public address"):
        resolve_host(parse_address("https://127.0.0.1/a/b", ()), ())
    assert resolve_host(parse_address("https://127.0.0.1/a/b", ()), ("127.0.0.1",)) == "127.0.0.1"


SSH = """#!{python}
import os, sys
words = sys.argv[1:]
assert words[words.index("--") + 1] == "127.0.0.1", words
assert os.stat(words[words.index("-i") + 1]).st_mode & 0o077 == 0
assert "StrictHostKeyChecking=accept-new" in words and "BatchMode=yes" in words
hosts = next(w for w in words if w.startswith("UserKnownHostsFile="))
open(hosts.partition("=")[2], "a").write("127.0.0.1 ssh-ed25519 AAAA\\n")
service, path = words[-1].split(" ")
assert service == "git-upload-pack" and path[0] == path[-1] == "'"
os.execlp("git", "git", "upload-pack", {root!r} + path[1:-1])
"""


def test_a_deploy_key_opens_a_repository_by_ssh(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There is no SSH server here: a program in its place checks what ssh is asked, and runs git's
    own server at the other end of the pipes."""
    host = GitHost(tmp_path, "")
    bare = host.make("ann/zealot")
    clone = Clone.make(tmp_path / "mine", {"bot.py": CRASHING})
    clone.commit({"bot.py": GOOD}, "second")
    clone.git("push", "-q", str(bare), "main")
    place = tmp_path / "bin"
    place.mkdir()
    (place / "ssh").write_text(SSH.format(python=sys.executable, root=str(tmp_path)))
    (place / "ssh").chmod(0o755)
    private, public = make_deploy_key("ludus-bot-1")
    assert public.startswith("ssh-ed25519 ") and "PRIVATE KEY" in private
    monkeypatch.setenv("PATH", f"{place}:{os.environ['PATH']}")
    address = parse_address("ssh://git@127.0.0.1/ann/zealot.git", ())
    access = RemoteAccess(address, ("127.0.0.1",), deploy_key=private)
    fetched = fetch_commit(access, "refs/heads/main", "", 1 << 20)
    assert fetched.id == clone.head and fetched.shallow == (clone.head,)
    assert fetched.known_hosts == "127.0.0.1 ssh-ed25519 AAAA\n"
    received = jailed_git.receive_pack(
        jailed_git.EMPTY_REPOSITORY,
        fetched.pack,
        [jailed_git.RefUpdate("0" * 40, fetched.id, "refs/heads/main")],
        max_pack=1 << 20,
        max_files=1 << 20,
        shallow=fetched.shallow,
    )
    assert received.refs[0].files == [("bot.py", GOOD)]
    with pytest.raises(LudusError, match="has no refs/heads/other"):
        fetch_commit(access, "refs/heads/other", "", 1 << 20)
    refused = RemoteAccess(parse_address("ssh://git@127.0.0.1/no.git", ()), ("127.0.0.1",))
    with pytest.raises(LudusError, match="add the deploy key there"):
        fetch_commit(refused, "refs/heads/main", "", 1 << 20)
