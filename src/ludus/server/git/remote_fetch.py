"""Fetching one commit of a remote repository, without its history.

Ludus speaks the protocol itself, over HTTPS or through ``ssh``: git is not run on the network, and
what comes goes to the jail like a push (``jailed_git``).
"""

from __future__ import annotations

import base64
import contextlib
import os
import shutil
import subprocess
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from ludus.bots.temp_folders import TempFolder
from ludus.server.git import remote_http
from ludus.server.git.pkt_lines import (
    DATA_BAND,
    ERROR_BAND,
    FLUSH,
    GitProtocolError,
    encode_line,
    iter_lines,
)
from ludus.server.git.push_commands import ID_PATTERN
from ludus.server.git.remote_address import RemoteAddress, RemoteRefused, resolve_host

MAX_REFS_BYTES = 4 << 20
SSH_TIMEOUT_S = 90.0
CAPABILITIES = "side-band-64k ofs-delta no-progress agent=ludus"
SERVICE = "git-upload-pack"


@dataclass(frozen=True, slots=True)
class RemoteAccess:
    """Where a remote is, and what opens it."""

    address: RemoteAddress
    allowed: Sequence[str] = ()
    """Hosts that the organiser allows whatever their addresses are."""
    token: str = field(default="", repr=False)
    deploy_key: str = field(default="", repr=False)
    known_hosts: str = ""


@dataclass(frozen=True, slots=True)
class FetchedCommit:
    """A commit with all its files, and without its parents."""

    id: str
    """The object that the ref points to: a commit, or a tag of one."""
    pack: bytes
    shallow: tuple[str, ...]
    known_hosts: str = ""


def fetch_commit(access: RemoteAccess, ref: str, wanted: str, max_pack: int) -> FetchedCommit:
    """Fetch what a ref points to; ``wanted``: its id as the host has announced it, or empty.

    Raises RemoteRefused with a sentence for the owner of the remote.
    """
    if access.address.scheme == "ssh":
        return _fetch_over_ssh(access, ref, wanted, max_pack)
    return _fetch_over_http(access, ref, wanted, max_pack)


def choose_object(listed: dict[str, str], ref: str, wanted: str, capabilities: str) -> str:
    """The id to ask for."""
    if wanted and (wanted in listed.values() or "-sha1-in-want" in capabilities):
        return wanted
    if not wanted and ref in listed:
        return listed[ref]
    raise RemoteRefused(
        f"the remote has no {ref} with this commit any more; push again"
        if wanted
        else f"the remote has no {ref}",
        f"远程仓库的 {ref} 已不是该提交；请重新推送" if wanted else f"远程仓库没有 {ref}",
    )


def parse_refs(data: bytes) -> tuple[dict[str, str], str]:
    """The refs that a server lists, and its capabilities."""
    refs: dict[str, str] = {}
    capabilities = ""
    for line, _ in iter_lines(data):
        if line is None or line.startswith(b"# "):
            continue
        words, _, given = line.partition(b"\0")
        capabilities = capabilities or given.decode("utf-8", "replace").strip()
        id, _, name = words.decode("utf-8", "replace").strip().partition(" ")
        if ID_PATTERN.fullmatch(id):
            refs[name] = id
    return refs, capabilities


def make_request(id: str) -> bytes:
    """The request for one commit, without its history; ``done`` follows."""
    return encode_line(f"want {id} {CAPABILITIES}\n".encode()) + encode_line(b"deepen 1\n") + FLUSH


DONE = encode_line(b"done\n")


def parse_answer(data: bytes, max_pack: int) -> tuple[bytes, tuple[str, ...]]:
    """The pack of an answer, and the commits whose parents it leaves out."""
    pack, shallow = bytearray(), list[str]()
    for line, _ in iter_lines(data):
        if not line or line.rstrip(b"\n") == b"NAK":
            continue
        if line.startswith(b"shallow "):
            shallow.append(line[8:].decode("ascii", "replace").strip())
        elif line[0] == DATA_BAND:
            pack += line[1:]
        elif line[0] == ERROR_BAND or line.startswith(b"ERR "):
            raise RemoteRefused("the remote refused to send the commit", "远程仓库拒绝发送该提交")
        if len(pack) > max_pack:
            raise RemoteRefused(
                f"the commit has more than {max_pack >> 20} MB, which is the limit here",
                f"该提交超过上限 {max_pack >> 20} MB",
            )
    if not all(ID_PATTERN.fullmatch(each) for each in shallow):
        raise GitProtocolError("a commit without an id", "有提交没有编号")
    return bytes(pack), tuple(shallow)


# Over HTTP


def _fetch_over_http(access: RemoteAccess, ref: str, wanted: str, max_pack: int) -> FetchedCommit:
    address, headers = access.address, _make_headers(access.token)
    listed = remote_http.request(
        address,
        access.allowed,
        "GET",
        f"{address.path}/info/refs?service={SERVICE}",
        headers=headers,
        most=MAX_REFS_BYTES,
    )
    _check_status(listed, access)
    refs, capabilities = parse_refs(listed.body)
    id = choose_object(refs, ref, wanted, capabilities)
    answer = remote_http.request(
        address,
        access.allowed,
        "POST",
        f"{address.path}/{SERVICE}",
        headers={**headers, "Content-Type": f"application/x-{SERVICE}-request"},
        body=make_request(id) + DONE,
        most=max_pack + (max_pack >> 6) + MAX_REFS_BYTES,
    )
    _check_status(answer, access)
    return FetchedCommit(id, *parse_answer(answer.body, max_pack))


def _make_headers(token: str) -> dict[str, str]:
    if not token:
        return {}
    secret = base64.b64encode(f"oauth2:{token}".encode()).decode()
    return {"Authorization": f"Basic {secret}"}


def _check_status(answer: remote_http.HttpAnswer, access: RemoteAccess) -> None:
    host = access.address.host
    if answer.status in (401, 403, 404):
        raise RemoteRefused(
            f"{host} does not show this repository: check the address, and give a token or a deploy"
            " key that may read it",
            f"{host} 未提供该仓库：请检查地址，并填写可读取它的令牌或部署密钥",
        )
    if answer.status != 200 or not answer.kind.startswith(f"application/x-{SERVICE}-"):
        raise RemoteRefused(
            f"{host} did not answer like a git server", f"{host} 的回应不像 git 服务器"
        )


# Over SSH


def make_deploy_key(comment: str) -> tuple[str, str]:
    """A private and a public key; RemoteRefused where there is no OpenSSH."""
    program = shutil.which("ssh-keygen")
    if program is None:
        raise _ssh_missing()
    with TempFolder("key") as folder:
        path = folder / "key"
        subprocess.run(
            [program, "-q", "-t", "ed25519", "-N", "", "-C", comment, "-f", str(path)],
            check=True,
            capture_output=True,
            timeout=30,
        )
        return path.read_text(), (folder / "key.pub").read_text().strip()


def _fetch_over_ssh(access: RemoteAccess, ref: str, wanted: str, max_pack: int) -> FetchedCommit:
    with TempFolder("ssh") as folder:
        hosts = folder / "known_hosts"
        hosts.write_text(access.known_hosts)
        with _run_ssh(access, folder, hosts) as (sent, received):
            refs, capabilities = parse_refs(_read_until_flush(received, MAX_REFS_BYTES))
            id = choose_object(refs, ref, wanted, capabilities)
            sent.write(make_request(id))
            sent.flush()
            shallow = _read_until_flush(received, MAX_REFS_BYTES)
            sent.write(DONE)
            sent.flush()
            answer = received.read(max_pack + (max_pack >> 6) + MAX_REFS_BYTES)
        pack, parts = parse_answer(shallow + answer, max_pack)
        return FetchedCommit(id, pack, parts, hosts.read_text()[:10_000])


@contextlib.contextmanager
def _run_ssh(
    access: RemoteAccess, folder: Path, hosts: Path
) -> Iterator[tuple[IO[bytes], IO[bytes]]]:
    """Run ``git-upload-pack`` at the remote; gives its input and output."""
    program = shutil.which("ssh")
    if program is None:
        raise _ssh_missing()
    address = access.address
    key = folder / "key"
    key.touch(0o600)
    key.write_text(access.deploy_key)
    options = {
        "IdentitiesOnly": "yes",
        "BatchMode": "yes",
        "StrictHostKeyChecking": "accept-new",
        "UserKnownHostsFile": str(hosts),
        "GlobalKnownHostsFile": "/dev/null",
        "HostKeyAlias": address.host,
        "HashKnownHosts": "no",
        "ConnectTimeout": "15",
        "ForwardAgent": "no",
        "ClearAllForwardings": "yes",
        "PermitLocalCommand": "no",
    }
    place = resolve_host(address, access.allowed)
    command = [program, "-F", "/dev/null", "-T", "-i", str(key), "-l", address.user]
    command += ["-p", str(address.port)]
    command += [word for name, value in options.items() for word in ("-o", f"{name}={value}")]
    command += ["--", place, f"{SERVICE} '{address.path}'"]
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={"PATH": os.environ.get("PATH", ""), "LC_ALL": "C.UTF-8"},
    )
    assert process.stdin is not None and process.stdout is not None
    timer = threading.Timer(SSH_TIMEOUT_S, process.kill)
    timer.start()
    try:
        yield process.stdin, process.stdout
    except (OSError, GitProtocolError):
        raise RemoteRefused(
            f"{address.host} does not open this repository by SSH; add the deploy key there",
            f"{address.host} 未通过 SSH 提供该仓库；请在那里添加部署密钥",
        ) from None
    finally:
        timer.cancel()
        process.kill()
        with contextlib.suppress(OSError):
            process.stdin.close()
        process.stdout.close()
        process.wait()


def _read_until_flush(source: IO[bytes], most: int) -> bytes:
    """Lines up to a flush, with it."""
    data = bytearray()
    while len(data) < most:
        head = source.read(4)
        try:
            length = int(head, 16)
        except ValueError:
            raise GitProtocolError("a line without a length", "有一行没有长度") from None
        data += head
        if length == 0:
            return bytes(data)
        data += source.read(max(0, length - 4))
    raise GitProtocolError("too many lines", "行数过多")


def _ssh_missing() -> RemoteRefused:
    return RemoteRefused(
        "OpenSSH is not installed on this server; tie the repository by its HTTPS address",
        "本服务器没有安装 OpenSSH；请用 HTTPS 地址关联仓库",
    )
