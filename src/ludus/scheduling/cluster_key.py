"""The key file of a cluster: it is needed to join the cluster and to submit work.

Dask executes whatever a client sends, so everyone who can connect can run any program on all
machines. By default Dask has no authentication. Its TLS support does, but is made for a
certificate authority with separate certificates for each role, which is more than a classroom
with ten machines wants to administer.

So a cluster here has one PEM file with a private key and a self-signed certificate. It is used as
CA, as certificate and as key by scheduler, workers and clients alike: each side presents this
certificate and accepts no other. A connection without the file fails in the TLS handshake, before
any message is decoded. The file is the only secret, so it must be readable by its owner only.
"""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any

import msgspec

from ludus.errors import LudusError
from ludus.home import load_or_create_secret, ludus_home
from ludus.os_errors import describe_os_error
from ludus.packages import add_command

SCHEME = "tls://"
KEY_FILE_NAME = "cluster.pem"
KEY_VALID_YEARS = 20


class Cluster(msgspec.Struct, frozen=True):
    """The address and key of a cluster, as given by the user."""

    address: str
    """The address of its scheduler: ``tls://host:8786``."""
    key: str = ""
    """Its key file; empty for the default path."""
    insecure: bool = False
    """Whether an unencrypted connection without a key is allowed."""

    @property
    def url(self) -> str:
        """The address with its scheme, by default TLS."""
        return self.address if "://" in self.address else SCHEME + self.address


def default_key_path() -> Path:
    return ludus_home() / KEY_FILE_NAME


def make_key(path: Path) -> None:
    """Create a key file that only its owner can read, unless it exists."""
    load_or_create_secret(path, _generate_key)


def load_security(cluster: Cluster) -> Any:
    """Dask's ``Security`` for a cluster; None only if ``insecure`` allows it.

    The order is: the key file that the user named, Dask's own configuration (for clusters that
    were not set up by Ludus), the key file in Ludus' home.
    """
    if not cluster.url.startswith(SCHEME):
        if cluster.insecure:
            return None
        raise LudusError(
            f"{cluster.address} is not encrypted: anyone who can connect can run programs there;"
            f" use {SCHEME}…, or add --insecure if no one else can reach that network",
            f"{cluster.address} 未加密：任何能连上的人都能在那里运行程序；"
            f"请使用 {SCHEME}…，若确信无他人能访问该网络，可加 --insecure",
        )
    path = find_key_file(cluster)
    return _read_dask_tls_config() if path is None else _security_from_file(_check_key_file(path))


def find_key_file(cluster: Cluster) -> Path | None:
    """The path of its key file; None if it is unencrypted or uses Dask's configuration."""
    if not cluster.url.startswith(SCHEME):
        return None
    if cluster.key:
        return Path(cluster.key).expanduser()
    return default_key_path() if _read_dask_tls_config() is None else None


def _read_dask_tls_config() -> Any:
    """The ``Security`` of Dask's configuration (``distributed.comm.tls``), if it has one."""
    import distributed

    security_type: Any = distributed.Security
    security = security_type(require_encryption=True)
    return security if security.tls_ca_file else None


def _check_key_file(path: Path) -> Path:
    try:
        mode = path.stat().st_mode
    except OSError as error:
        why = describe_os_error(error)
        raise LudusError(
            f"the cluster's key {path} cannot be read ({why.en}); copy it from the machine"
            f" that runs ludus worker --serve, or name it with --key",
            f"无法读取集群密钥 {path}（{why.zh}）；"
            f"请从运行 ludus worker --serve 的机器上复制，或用 --key 指明",
        ) from None
    if mode & 0o077:
        raise LudusError(
            f"other users can read the cluster's key {path}; run: chmod 600 {path}",
            f"其他用户可以读取集群密钥 {path}；请执行：chmod 600 {path}",
        )
    return path


def _security_from_file(path: Path) -> Any:
    import distributed

    pem = str(path.absolute())
    roles = {f"tls_{role}_{part}": pem for role in ROLES for part in ("cert", "key")}
    security_type: Any = distributed.Security
    security = security_type(require_encryption=True, tls_ca_file=pem, **roles)
    try:
        security.get_connection_args("client")
    except OSError as error:
        raise LudusError(
            f"{path} is not a cluster key: {error}", f"{path} 不是集群密钥：{error}"
        ) from None
    return security


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
    """The error when Dask or cryptography is not installed."""
    return LudusError(
        f"clusters need Dask: {add_command('[cluster]')}",
        f"使用集群需要 Dask：{add_command('[cluster]')}",
    )
