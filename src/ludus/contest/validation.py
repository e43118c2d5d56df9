"""What is wrong in a contest's file, said to the person who wrote it.

msgspec decides whether data fits a struct, but its errors are English sentences for programmers.
So when it refuses, the data is walked beside the struct's description (``msgspec.inspect``), and
the first place where they differ becomes a sentence in both languages.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from typing import Any

from msgspec import inspect

from ludus.errors import LudusError
from ludus.lang import Text

NUMBER: Text = Text("a number such as 0.5", "如 0.5 的数")
INTEGER: Text = Text("a whole number", "整数")
STRING: Text = Text("text in quotes", "带引号的文本")
BOOLEAN: Text = Text("true or false", "true 或 false")
LIST: Text = Text("a list", "列表")
TABLE: Text = Text("a table", "表")
VALUE_NAMES: dict[type, Text] = {
    int: INTEGER,
    float: NUMBER,
    str: STRING,
    bool: BOOLEAN,
    list: LIST,
    tuple: LIST,
    dict: TABLE,
    type(None): Text("nothing", "空"),
}
TYPE_NAMES: dict[type[inspect.Type], Text] = {
    inspect.IntType: INTEGER,
    inspect.FloatType: NUMBER,
    inspect.StrType: STRING,
    inspect.BoolType: BOOLEAN,
    inspect.ListType: LIST,
    inspect.TupleType: LIST,
    inspect.VarTupleType: LIST,
    inspect.DictType: TABLE,
    inspect.StructType: TABLE,
}
ACCEPTED: dict[type[inspect.Type], tuple[type, ...]] = {
    inspect.IntType: (int,),
    inspect.FloatType: (int, float),
    inspect.StrType: (str,),
    inspect.BoolType: (bool,),
    inspect.NoneType: (type(None),),
    inspect.ListType: (list, tuple),
    inspect.TupleType: (list, tuple),
    inspect.VarTupleType: (list, tuple),
    inspect.DictType: (Mapping,),
    inspect.StructType: (Mapping,),
}


def explain_validation_error(where: str, error: Exception, kind: Any, data: Any) -> LudusError:
    """The sentence for data of which msgspec could not make a ``kind``."""
    mistake = find_mistake(inspect.type_info(kind), data)
    text = mistake or Text(str(error), str(error))
    return LudusError(f"{where}: {text['en']}", f"{where}：{text['zh']}")


def find_mistake(kind: inspect.Type, data: Any, path: str = "") -> Text | None:
    """The first place where data differs from its type, as a sentence."""
    members = list(kind.types) if isinstance(kind, inspect.UnionType) else [kind]
    fitting = [member for member in members if _is_kind_of(member, data)]
    if not fitting:
        return _wrong_kind(members, data, path)
    if isinstance(kind, inspect.UnionType) and isinstance(fitting[0], inspect.StructType):
        return _find_in_tagged_union(
            [m for m in fitting if isinstance(m, inspect.StructType)], data, path
        )
    return _find_inside(fitting[0], data, path)


def _is_kind_of(kind: inspect.Type, data: Any) -> bool:
    """Whether data is a number, text, list … where the type wants one, whatever it holds."""
    if isinstance(kind, inspect.LiteralType):
        return any(type(data) is type(value) for value in kind.values)
    if isinstance(data, bool):
        return isinstance(kind, inspect.BoolType | inspect.AnyType)
    accepted = ACCEPTED.get(type(kind))
    return accepted is None or isinstance(data, accepted)


def _find_inside(kind: inspect.Type, data: Any, path: str) -> Text | None:
    if mistake := _find_in_length(kind, data, path):
        return mistake
    match kind:
        case inspect.StructType():
            return _find_in_struct(kind, data, path)
        case inspect.DictType():
            places = ((kind.value_type, value, _join(path, key)) for key, value in data.items())
            return _first_mistake(places)
        case inspect.ListType() | inspect.VarTupleType():
            items = ((kind.item_type, each, f"{path}[{i}]") for i, each in enumerate(data))
            return _first_mistake(items)
        case inspect.TupleType():
            if len(data) != len(kind.item_types):
                return _wrong_length(len(kind.item_types), len(data), path)
            pairs = enumerate(zip(kind.item_types, data, strict=True))
            return _first_mistake((each, item, f"{path}[{i}]") for i, (each, item) in pairs)
        case inspect.LiteralType():
            return None if data in kind.values else _wrong_choice(kind.values, data, path)
        case inspect.IntType() | inspect.FloatType():
            return _find_in_number(kind, data, path)
    return None


def _first_mistake(places: Iterator[tuple[inspect.Type, Any, str]]) -> Text | None:
    mistakes = (find_mistake(kind, data, path) for kind, data, path in places)
    return next((mistake for mistake in mistakes if mistake), None)


def _find_in_tagged_union(
    structs: list[inspect.StructType], data: Mapping[str, Any], path: str
) -> Text | None:
    """A field says which struct is meant, such as ``name`` of a format."""
    tag_field = structs[0].tag_field
    if tag_field is None:
        return _find_in_struct(structs[0], data, path)
    if tag_field not in data:
        fields = {field.encode_name: field for each in structs for field in each.fields}
        known = {tag_field: None, **fields}
        unknown = next((key for key in data if key not in known), None)
        return _missing(tag_field, path) if unknown is None else _unknown(unknown, known, path)
    for struct in structs:
        if struct.tag == data[tag_field]:
            return _find_in_struct(struct, data, path)
    tags = tuple(struct.tag for struct in structs)
    return _wrong_choice(tags, data[tag_field], _join(path, tag_field))


def _find_in_struct(struct: inspect.StructType, data: Mapping[str, Any], path: str) -> Text | None:
    fields = {field.encode_name: field for field in struct.fields}
    tag_field = struct.tag_field
    if tag_field is not None and data.get(tag_field, struct.tag) != struct.tag:
        return _wrong_choice((struct.tag,), data[tag_field], _join(path, tag_field))
    for key, value in data.items():
        if key in fields:
            if mistake := find_mistake(fields[key].type, value, _join(path, key)):
                return mistake
        elif struct.forbid_unknown_fields and key != tag_field:
            return _unknown(key, fields, path)
    missing = (name for name, field in fields.items() if field.required and name not in data)
    return next((_missing(name, path) for name in missing), None)


def _find_in_number(
    kind: inspect.IntType | inspect.FloatType, data: float, path: str
) -> Text | None:
    name, name_zh = path or "the file", path or "文件"
    if kind.ge is not None and not data >= kind.ge:
        return Text(f"{name} must be at least {kind.ge}", f"{name_zh} 不能小于 {kind.ge}")
    if kind.le is not None and not data <= kind.le:
        return Text(f"{name} must be at most {kind.le}", f"{name_zh} 不能大于 {kind.le}")
    return None


def _find_in_length(kind: inspect.Type, data: Any, path: str) -> Text | None:
    match kind:
        case inspect.StrType():
            unit = Text("characters", "个字符")
        case inspect.ListType() | inspect.VarTupleType() | inspect.DictType():
            unit = Text("items", "项")
        case _:
            return None
    if kind.min_length is not None and len(data) < kind.min_length:
        return _too_short(kind.min_length, unit, path)
    if kind.max_length is not None and len(data) > kind.max_length:
        most = kind.max_length
        return Text(
            f"{path or 'the file'} must have at most {most} {unit.en}",
            f"{path or '文件'} 最多 {most} {unit.zh}",
        )
    return None


# The sentences


def _join(path: str, key: str) -> str:
    return f"{path}.{key}" if path else key


def _wrong_kind(members: list[inspect.Type], data: Any, path: str) -> Text:
    names = [_type_name(each) for each in members if not isinstance(each, inspect.NoneType)]
    given = VALUE_NAMES.get(type(data), Text(type(data).__name__, f" {type(data).__name__}"))
    return Text(
        f"{path or 'the file'} must be {' or '.join(n['en'] for n in names)}, not {given['en']}",
        f"{path or '文件'} 应为{'或'.join(n['zh'] for n in names)}，而不是{given['zh']}",
    )


def _type_name(kind: inspect.Type) -> Text:
    if isinstance(kind, inspect.LiteralType):
        return VALUE_NAMES[type(kind.values[0])]
    name = type(kind).__name__
    return TYPE_NAMES.get(type(kind), Text(name, f" {name}"))


def _wrong_length(wanted: int, given: int, path: str) -> Text:
    return Text(
        f"{path or 'the file'} must be a list of {wanted}, not {given}",
        f"{path or '文件'} 应为 {wanted} 项的列表，而不是 {given} 项",
    )


def _too_short(least: int, unit: Text, path: str) -> Text:
    if least == 1:
        return Text(f"{path or 'the file'} must not be empty", f"{path or '文件'} 不能为空")
    return Text(
        f"{path or 'the file'} must have at least {least} {unit.en}",
        f"{path or '文件'} 至少 {least} {unit.zh}",
    )


def _wrong_choice(choices: tuple[Any, ...], given: Any, path: str) -> Text:
    known = ", ".join(map(repr, choices))
    return Text(
        f"{path or 'the file'} cannot be {given!r}; it may be: {known}",
        f"{path or '文件'} 不能是 {given!r}；可以是：{known}",
    )


def _missing(name: str, path: str) -> Text:
    return Text(
        f"{path or 'the file'} lacks {name!r}",
        f"{path or '文件'} 缺少 {name!r}",
    )


def _unknown(name: str, fields: Mapping[str, Any], path: str) -> Text:
    known = ", ".join(fields)
    inside = f" in {path}" if path else ""
    near = get_close_matches(name, fields, n=1)
    meant = Text(f"did you mean {near[0]!r}? ", f"是不是 {near[0]!r}？") if near else Text("", "")
    return Text(
        f"there is no setting {name!r}{inside}; {meant.en}there are: {known}",
        f"{path or '文件'} 中没有 {name!r} 这一项；{meant.zh}可用的有：{known}",
    )
