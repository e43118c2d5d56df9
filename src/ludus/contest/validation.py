"""Mistakes in a contest's file, told to the person who wrote it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import inspect

from ludus.errors import LudusError
from ludus.lang import Text

TYPE_NAMES: dict[str, Text] = {
    "int": {"en": "a whole number", "zh": "整数"},
    "float": {"en": "a number such as 0.5", "zh": "如 0.5 的数"},
    "str": {"en": "text in quotes", "zh": "带引号的文本"},
    "bool": {"en": "true or false", "zh": "true 或 false"},
    "array": {"en": "a list", "zh": "列表"},
    "object": {"en": "a table", "zh": "表"},
    "null": {"en": "nothing", "zh": "空"},
}
_MESSAGE_WITH_PATH = re.compile(r"(?P<what>.*?)(?: - at `\$\.?(?P<path>.*)`)?")
_EXPECTED = re.compile(r"Expected `(.*?)`(?: of length (\d+))?, got `?(.*?)`?")
_LOWER_BOUND = re.compile(r"Expected `.*` >= (.*)")
_UPPER_BOUND = re.compile(r"Expected `.*` <= (.*)")
_UNKNOWN = re.compile(r"Object contains unknown field `(.*)`")
_MISSING = re.compile(r"Object missing required field `(.*)`")
_INVALID = re.compile(r"Invalid (?:enum )?value (.*)")


def explain_validation_error(where: str, said: str, kind: type, data: Any) -> LudusError:
    """From what msgspec ``said`` when it was to make a ``kind`` of ``data``."""
    found = _MESSAGE_WITH_PATH.fullmatch(said)
    assert found is not None
    path = found["path"] or ""
    text = _explain(found["what"], path, kind, data)
    return LudusError(f"{where}: {text['en']}", f"{where}：{text['zh']}")


def _explain(what: str, path: str, kind: type, data: Any) -> Text:
    here = path or "the file"
    if found := _EXPECTED.fullmatch(what):
        wanted, given = _describe_expected(found[1], found[2]), _type_name(found[3])
        return {
            "en": f"{here} must be {wanted['en']}, not {given['en']}",
            "zh": f"{path or '文件'} 应为{wanted['zh']}，而不是{given['zh']}",
        }
    if found := _LOWER_BOUND.fullmatch(what):
        return {
            "en": f"{here} must be at least {found[1]}",
            "zh": f"{path or '文件'} 不能小于 {found[1]}",
        }
    if found := _UPPER_BOUND.fullmatch(what):
        return {
            "en": f"{here} must be at most {found[1]}",
            "zh": f"{path or '文件'} 不能大于 {found[1]}",
        }
    if found := _MISSING.fullmatch(what):
        return {"en": f"{here} lacks {found[1]!r}", "zh": f"{path or '文件'} 缺少 {found[1]!r}"}
    if found := _UNKNOWN.fullmatch(what):
        known = ", ".join(_field_names(_type_at(kind, path, data), _value_at(data, path)))
        inside = f" in {path}" if path else ""
        return {
            "en": f"there is no setting {found[1]!r}{inside}; there are: {known}",
            "zh": f"{path or '文件'} 中没有 {found[1]!r} 这一项；可用的有：{known}",
        }
    if found := _INVALID.fullmatch(what):
        known = ", ".join(map(repr, _allowed_values(kind, path, data)))
        return {
            "en": f"{here} cannot be {found[1]}; it may be: {known}",
            "zh": f"{path or '文件'} 不能是 {found[1]}；可以是：{known}",
        }
    return {"en": f"{here}: {what}", "zh": f"{path or '文件'}：{what}"}


def _type_name(name: str) -> Text:
    return TYPE_NAMES.get(name, {"en": name, "zh": f" {name}"})


def _describe_expected(names: str, length: str | None) -> Text:
    kinds = [_type_name(name) for name in names.split(" | ") if name != "null"]
    found = {
        "en": " or ".join(each["en"] for each in kinds),
        "zh": "或".join(each["zh"] for each in kinds),
    }
    if length:
        return {"en": f"{found['en']} of {length}", "zh": f" {length} 项的{found['zh']}"}
    return found


# The place that is meant


def _split_path(path: str) -> Iterator[str | int]:
    for name, number in re.findall(r"([^.\[\]]+)|\[(\d+)\]", path):
        yield int(number) if number else name


def _value_at(data: Any, path: str) -> Any:
    for step in _split_path(path):
        if not isinstance(data, (Mapping, list, tuple)) or step == "...":
            return None
        data = data[step]  # type: ignore[index]
    return data


def _type_at(kind: type, path: str, data: Any) -> inspect.Type:
    """The type that belongs to a place of the file."""
    here: inspect.Type = inspect.type_info(kind)
    for step in _split_path(path):
        if isinstance(step, int):
            here = getattr(here, "item_type", here)
        else:
            struct = _select_struct(here, data)
            fields = {field.encode_name: field.type for field in struct.fields} if struct else {}
            here = fields.get(step, here)
        data = _value_at(data, f"[{step}]" if isinstance(step, int) else step)
    return here


def _select_struct(here: inspect.Type, data: Any) -> inspect.StructType | None:
    """Which kind of table it is: among several, the one with the name that was given."""
    members = [here] if not isinstance(here, inspect.UnionType) else list(here.types)
    structs = [each for each in members if isinstance(each, inspect.StructType)]
    if len(structs) > 1 and isinstance(data, Mapping):
        structs = [each for each in structs if each.tag == data.get("name")]
    return structs[0] if structs else None


def _field_names(here: inspect.Type, data: Any) -> list[str]:
    struct = _select_struct(here, data)
    return [field.encode_name for field in struct.fields] if struct else []


def _allowed_values(kind: type, path: str, data: Any) -> list[Any]:
    """What a place may hold, if that is one of a few."""
    above, _, last = path.rpartition(".")
    here = _type_at(kind, above, data)
    if last == "name" and isinstance(here, inspect.UnionType):
        return [each.tag for each in here.types if isinstance(each, inspect.StructType)]
    here = _type_at(kind, path, data)
    members = here.types if isinstance(here, inspect.UnionType) else (here,)
    return [
        value for each in members if isinstance(each, inspect.LiteralType) for value in each.values
    ]
