"""Which language models there are: ``$LUDUS_HOME/llm.toml``, or the environment.

Without either there are none. Keys are never in the file: it names the environment variable that
holds one. No message of this module contains a key, a prompt, or an address that holds a password.
"""

from __future__ import annotations

import ipaddress
import os
import re
import tomllib
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlsplit

import msgspec

from ludus.errors import LudusError
from ludus.home import ludus_home
from ludus.os_errors import describe_os_error

FILE_NAME = "llm.toml"
ADDRESS_VARIABLE = "LUDUS_LLM_ADDRESS"
KEY_VARIABLE = "LUDUS_LLM_KEY"
"""Without a file: the address of all models, and the variable that holds its key."""
CHAT_PATH = "/chat/completions"
VARIABLE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

Seconds = Annotated[float, msgspec.Meta(gt=0, le=3600)]
Count = Annotated[int, msgspec.Meta(ge=0, le=20)]
Price = Annotated[float, msgspec.Meta(ge=0)]


class ModelSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One model: a table of ``llm.toml``."""

    address: str
    """The base address, such as ``http://localhost:11434/v1``."""
    model: str = ""
    """The model's name for its server; by default the name of the table."""
    key_variable: str = ""
    """The environment variable that holds the key; empty for a server that needs none."""
    system: Annotated[str, msgspec.Meta(max_length=20_000)] = ""
    """Text of the owner's before the rules."""
    timeout: Seconds = 60.0
    """Seconds that one request may take."""
    retries: Count = 3
    """How often the model is asked again after an answer without a legal move."""
    attempts: Annotated[int, msgspec.Meta(ge=1, le=20)] = 4
    """Requests for one answer when the server is busy or fails."""
    backoff: Annotated[float, msgspec.Meta(ge=0, le=60)] = 1.0
    """Seconds before the second of these attempts; they double for each further one."""
    temperature: Annotated[float, msgspec.Meta(ge=0, le=2)] | None = None
    max_tokens: Annotated[int, msgspec.Meta(ge=1)] | None = None
    """Sent to the server if given."""
    price_in: Price = 0.0
    price_out: Price = 0.0
    """The price of a million tokens of prompts and of answers."""
    currency: Annotated[str, msgspec.Meta(max_length=12)] = ""

    @property
    def endpoint(self) -> str:
        """The address that requests go to."""
        base = self.address.rstrip("/")
        return base if base.endswith(CHAT_PATH) else base + CHAT_PATH

    @property
    def host(self) -> str:
        """Host and port, for messages."""
        return urlsplit(self.address).netloc

    def load_key(self) -> str:
        """The key from the environment; empty if the model needs none."""
        if not self.key_variable:
            return ""
        if not (key := os.environ.get(self.key_variable, "").strip()):
            raise LudusError(
                f"the environment variable {self.key_variable} with the key is not set",
                f"没有设置保存密钥的环境变量 {self.key_variable}",
            )
        if not key.isascii() or not key.isprintable():
            raise LudusError(
                f"the key in {self.key_variable} contains characters that no key has",
                f"{self.key_variable} 中的密钥含有密钥不会有的字符",
            )
        return key


def find_model(name: str) -> ModelSettings:
    """The settings of ``llm:NAME``; LudusError if there are none or they are invalid."""
    path = ludus_home() / FILE_NAME
    tables = _read_file(path) if path.exists() else {}
    if name in tables:
        return _check(_parse_table(path, name, tables[name]), f"{path}: [{name}]", name)
    if address := os.environ.get(ADDRESS_VARIABLE, ""):
        key = KEY_VARIABLE if os.environ.get(KEY_VARIABLE) else ""
        return _check(ModelSettings(address, key_variable=key), ADDRESS_VARIABLE, name)
    known = ", ".join(tables) or "none"
    raise LudusError(
        f"llm:{name} is not configured (known: {known}); describe it in {path} as a table [{name}]"
        f" with address = …, or set {ADDRESS_VARIABLE}",
        f"没有配置 llm:{name}（已有：{known}）；请在 {path} 中用 [{name}] 表写明 address = …，"
        f"或设置 {ADDRESS_VARIABLE}",
    )


def _read_file(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        why = describe_os_error(error)
        raise LudusError(f"cannot read {path}: {why.en}", f"无法读取 {path}：{why.zh}") from None


def _parse_table(path: Path, name: str, table: Any) -> ModelSettings:
    try:
        return msgspec.convert(table, ModelSettings)
    except msgspec.ValidationError as error:
        raise LudusError(f"{path}: [{name}]: {error}", f"{path}：[{name}]：{error}") from None


def _check(settings: ModelSettings, where: str, name: str) -> ModelSettings:
    if settings.key_variable and not VARIABLE_NAME.fullmatch(settings.key_variable):
        raise LudusError(
            f"{where}: key_variable must be the name of an environment variable, not the key",
            f"{where}：key_variable 应是环境变量的名字，而不是密钥本身",
        )
    try:
        parts = urlsplit(settings.address)
        host, _ = parts.hostname, parts.port
    except ValueError:
        host, parts = None, urlsplit("")
    if parts.scheme not in ("http", "https") or not host or parts.query or parts.fragment:
        raise LudusError(
            f"{where}: the address must look like https://host/v1",
            f"{where}：地址应形如 https://主机/v1",
        )
    if parts.username is not None or parts.password is not None:
        raise LudusError(
            f"{where}: the address must not contain a user or a password; put the key into an"
            " environment variable and name it in key_variable",
            f"{where}：地址中不能有用户名或密码；请把密钥放进环境变量，"
            "并在 key_variable 中写明其名字",
        )
    if settings.key_variable and parts.scheme == "http" and not _is_local(host):
        raise LudusError(
            f"{where}: the key would be sent to {host} unencrypted; use https",
            f"{where}：密钥会以明文发送到 {host}；请使用 https",
        )
    return msgspec.structs.replace(settings, model=settings.model or name)


def _is_local(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
