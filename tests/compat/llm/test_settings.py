"""Which models are configured, and what is refused."""

from pathlib import Path

import pytest

from ludus.bots.resolve import resolve_bot, resolve_bot_at, resolve_house_bot
from ludus.compat.llm.settings import find_model
from ludus.errors import LudusError
from ludus.games import get

GAME = get("reversi")
SECRET = "sk-planted-0123456789"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("LUDUS_LLM_ADDRESS", "LUDUS_LLM_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LUDUS_HOME", str(tmp_path))
    return tmp_path


def configure(home: Path, text: str) -> None:
    (home / "llm.toml").write_text(text)


def refusal(name: str = "m") -> str:
    with pytest.raises(LudusError) as caught:
        resolve_bot(f"llm:{name}", GAME)
    assert SECRET not in str(caught.value)
    return str(caught.value)


def test_without_configuration_there_are_no_models() -> None:
    assert "llm:m is not configured (known: none)" in refusal()


def test_a_table_of_the_file_is_a_model(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", SECRET)
    configure(home, '[m]\naddress = "https://example.org/v1/"\nkey_variable = "MY_KEY"\n')
    settings = find_model("m")
    assert settings.endpoint == "https://example.org/v1/chat/completions"
    assert settings.model == "m" and settings.load_key() == SECRET
    source = resolve_bot("llm:m", GAME, trust=True)
    assert (source.name, source.protocol, source.has_program) == ("llm:m", "llm", False)
    assert not source.unjailed and SECRET not in repr(source)
    assert "known: m" in refusal("other")


def test_the_environment_alone_will_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LUDUS_LLM_ADDRESS", "http://localhost:1234/v1")
    assert find_model("qwen3:8b").model == "qwen3:8b" and find_model("a").load_key() == ""
    monkeypatch.setenv("LUDUS_LLM_KEY", SECRET)
    assert find_model("a").load_key() == SECRET


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[m\n", "cannot read"),
        ("[m]\n", "missing required field `address`"),
        ("m = 3\n", "Expected `object`"),
        ('[m]\naddress = "x"\nkey = "k"\n', "unknown field `key`"),
        ('[m]\naddress = "example.org"\n', "must look like https://host/v1"),
        ('[m]\naddress = "file:///etc/passwd"\n', "must look like https://host/v1"),
        ('[m]\naddress = "https://h:x/v1"\n', "must look like https://host/v1"),
        (f'[m]\naddress = "https://me:{SECRET}@h/v1"\n', "must not contain a user or a password"),
        (f'[m]\naddress = "https://h/v1"\nkey_variable = "{SECRET}"\n', "not the key"),
        ('[m]\naddress = "https://h/v1"\nkey_variable = "NOT_SET_HERE"\n', "is not set"),
        ('[m]\naddress = "http://h/v1"\nkey_variable = "PATH"\n', "unencrypted; use https"),
        ('[m]\naddress = "https://h/v1"\nattempts = 0\n', "attempts"),
    ],
)
def test_what_is_wrong_is_said_without_secrets(home: Path, text: str, says: str) -> None:
    configure(home, text)
    assert says in refusal()


def test_neither_an_upload_nor_a_name_from_the_network_opens_a_model(
    home: Path, tmp_path: Path
) -> None:
    configure(home, '[m]\naddress = "https://h/v1"\n')
    with pytest.raises(LudusError, match="no file and no house bot"):
        resolve_house_bot("llm:m", GAME)
    folder = tmp_path / "bot"
    folder.mkdir()
    (folder / "ludus.toml").write_text('protocol = "llm"\n[run]\ncommand = ["true"]\n')
    with pytest.raises(LudusError, match="unknown protocol 'llm'"):
        resolve_bot_at(folder, GAME)
