"""The key of a cluster: whoever has the file may join it and give it work, nobody else.

One PEM file holds a private key and the certificate it signed for itself. Scheduler, workers and
clients all show that certificate and accept no other, so a connection without the file ends
before its first message is read.
"""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any

import msgspec

from ludus.errors import LudusError
from ludus.home import load_or_create_secret, ludus_home
from ludus.packages import add_command

SCHEME = "tls://"
KEY_FILE_NAME = "cluster.pem"
KEY_VALID_YEARS = 20


class Cluster(msgspec.Struct, frozen=True):
    """A cluster, as a person names it."""

    address: str
    """Of its scheduler: ``tls://host:8786``."""
    key: str = ""
    """The file of its key; empty for the usual place."""
    insecure: bool = False
    """Whether it may be one that anybody can talk to."""

    @property
    def url(self) -> str:
        """The address with its scheme; without one TLS is meant."""
        return self.address if "://" in self.address else SCHEME + self.address


def default_key_path() -> Path:
    return ludus_home() / KEY_FILE_NAME


def make_key(path: Path) -> None:
    """Make a key that only its owner can read, unless there is one."""
    load_or_create_secret(path, _generate_key)


def load_security(cluster: Cluster) -> Any:
    """How to talk to a cluster: Dask's ``Security``; None only where insecure was asked for.

    A key that was named comes first, then what Dask's own configuration says (clusters that
    somebody else runs), then the key in Ludus' home.
    """
    if not cluster.url.startswith(SCHEME):
        if cluster.insecure:
            return None
        raise LudusError(
            f"{cluster.address} is not encrypted: anyone who reaches it can run programs there;"
            f" use {SCHEME}…, or say --insecure if nobody else can reach that network",
            f"{cluster.address} 未加密：任何能连上的人都能在那里运行程序；"
            f"请使用 {SCHEME}…，若确信无他人能访问该网络，可加 --insecure",
        )
    path = find_key_file(cluster)
    return _read_dask_tls_config() if path is None else _security_from_file(_check_key_file(path))


def find_key_file(cluster: Cluster) -> Path | None:
    """Where its key is; None if it has none of ours: it is open, or Dask's configuration counts."""
    if not cluster.url.startswith(SCHEME):
        return None
    if cluster.key:
        return Path(cluster.key).expanduser()
    return default_key_path() if _read_dask_tls_config() is None else None


def _read_dask_tls_config() -> Any:
    """What ``distributed.comm.tls`` of Dask's configuration says, if it says anything."""
    import distributed

    found: Any = distributed.Security
    made = found(require_encryption=True)
    return made if made.tls_ca_file else None


def _check_key_file(path: Path) -> Path:
    try:
        mode = path.stat().st_mode
    except OSError as error:
        raise LudusError(
            f"the cluster's key {path} cannot be read ({error.strerror}); copy it from the machine"
            f" that runs ludus worker --serve, or name it with --key",
            f"无法读取集群密钥 {path}（{error.strerror}）；"
            f"请从运行 ludus worker --serve 的机器上复制，或用 --key 指明",
        ) from None
    if mode & 0o077:
        raise LudusError(
            f"others can read the cluster's key {path}; close it: chmod 600 {path}",
            f"他人可以读取集群密钥 {path}；请执行：chmod 600 {path}",
        )
    return path


def _security_from_file(path: Path) -> Any:
    import distributed

    pem = str(path.absolute())
    roles = {f"tls_{role}_{part}": pem for role in ROLES for part in ("cert", "key")}
    made: Any = distributed.Security
    found = made(require_encryption=True, tls_ca_file=pem, **roles)
    try:
        found.get_connection_args("client")
    except OSError as error:
        raise LudusError(
            f"{path} is not a cluster key: {error}", f"{path} 不是集群密钥：{error}"
        ) from None
    return found


ROLES = ("client", "scheduler", "worker")


def _generate_key() -> bytes:
    try:
        from cryptography import x509
        from cryptography.hazmat.primitives import hashes, serialization
        from cryptography.hazmat.primitives.asymmetric import ec
    except ModuleNotFoundError:
        raise missing_dask_error() from None
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "ludus cluster")])
    now = datetime.datetime.now(datetime.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))  # clocks differ
        .not_valid_after(now + datetime.timedelta(days=365 * KEY_VALID_YEARS))
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    return private + certificate.public_bytes(serialization.Encoding.PEM)


def missing_dask_error() -> LudusError:
    """Dask, or what makes its keys, is not installed."""
    return LudusError(
        f"clusters need Dask: {add_command('[cluster]')}",
        f"使用集群需要 Dask：{add_command('[cluster]')}",
    )
