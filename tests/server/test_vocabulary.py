"""Names of states, faults, formats … exist once, in both languages."""

from typing import Any, get_args

import msgspec

from ludus.bots.languages.registry import LANGUAGES
from ludus.contest.formats import AnyFormat
from ludus.sandbox.bot_fault import FaultKind
from ludus.server.contests import contest_tables
from ludus.server.vocabulary import ContestState, Role, VersionState
from ludus.server.web import embedding
from ludus.server.web.vocabulary_schema import make_vocabulary
from tests.support.site import Site


def test_every_key_has_a_name() -> None:
    known = make_vocabulary()
    assert set(known.faults) == set(FaultKind)
    assert set(known.roles) == set(get_args(Role))
    assert set(known.version_states) == set(get_args(VersionState))
    assert set(known.contest_states) == set(get_args(ContestState))
    assert set(known.languages) == {language.name for language in LANGUAGES}
    tags = [msgspec.inspect.type_info(form) for form in get_args(AnyFormat)]
    assert list(known.formats) == [each.tag for each in tags if hasattr(each, "tag")]


def test_every_choice_of_a_setting_has_a_name() -> None:
    known = make_vocabulary().settings
    forms = contest_tables.describe_formats()
    fields = [*forms.match, *(field for form in forms.formats for field in form.settings)]
    chosen = {field.name: set(field.choices) for field in fields if field.choices}
    assert chosen and {name: set(known[name].choices) for name in chosen} == chosen
    assert set(known) <= {field.name for field in fields}, "nothing that is gone has words"


def texts(value: Any) -> list[dict[str, str]]:
    if isinstance(value, dict) and set(value) == {"en", "zh"}:
        return [value]
    return [text for each in value.values() if isinstance(each, dict) for text in texts(each)]


def test_it_is_served_in_both_languages(shared: Site) -> None:
    told = shared.get("/api/vocabulary")
    found = texts(told)
    assert len(found) > 35
    assert all(text["en"] and text["zh"] for text in found)
    assert told["faults"]["output"] == {"en": "bad output", "zh": "输出异常"}
    assert told["languages"]["rust"] == "Rust"


def test_a_page_has_it_built_in() -> None:
    page = embedding.embed_vocabulary(f"<p>{embedding.VOCABULARY_PLACEHOLDER}</p>")
    told = msgspec.json.decode(page.removeprefix("<p>").removesuffix("</p>"))
    assert told == msgspec.to_builtins(make_vocabulary())
    assert embedding.escape_for_script(b'"</script>"') == '"\\u003c/script\\u003e"'
