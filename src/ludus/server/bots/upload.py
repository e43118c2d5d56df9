"""Uploads as bundles: the files of a bot, checked, unpacked and packed deterministically."""

from __future__ import annotations

import hashlib
import io
import unicodedata
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath

import msgspec

from ludus.bots import archive
from ludus.bots.languages.registry import language_of
from ludus.bots.limited_calls import Bounds, call_with_bounds
from ludus.bots.manifest import MANIFEST_NAME as MANIFEST
from ludus.bots.source_files import IGNORED_FOLDERS
from ludus.errors import LudusError
from ludus.server.bots.upload_limits import MAX_BUNDLE_FILES, MAX_UNPACKED_RATIO
from ludus.server.web.errors import PayloadTooLarge

Files = dict[str, bytes]
"""Path in the bot's folder → content."""
SKIPPED_NAMES = archive.SKIPPED_NAMES | IGNORED_FOLDERS
MAIN_FILE_STEMS = ("__main__", "main", "bot", "player", "ai")
"""Usual names of the file to start from."""
STAMP = (2000, 1, 1, 0, 0, 0)


class Bundle(msgspec.Struct, frozen=True):
    """An upload as it is stored."""

    data: bytes
    """The packed files."""
    size: int
    """The bytes of the files."""
    digest: str
    language: str
    """Guessed from the names of the files; the check finds the real one."""


def receive_upload(sent: Sequence[tuple[str, bytes]], most: int) -> Bundle:
    """Unpack and bundle an upload in a limited process; LudusError if it is refused.

    ``most``: the bytes that may be uploaded. The process gets the limits that such an upload can
    need.
    """
    if sum(len(data) for _, data in sent) > most:
        raise too_large(most)
    bounds = Bounds(cpu=30, wall=60.0, memory=(512 << 20) + 4 * MAX_UNPACKED_RATIO * most)
    return call_with_bounds(bounds, make_bundle, list(sent), most)


def make_bundle(sent: list[tuple[str, bytes]], most: int) -> Bundle:
    """As ``receive_upload``, in this process."""
    return bundle_files(unpack_upload(sent, most))


def bundle_files(files: Mapping[str, bytes]) -> Bundle:
    """Bundle the files of a bot."""
    data = pack_files(files)
    size = sum(map(len, files.values()))
    return Bundle(data, size, compute_digest(data), _guess_language(files))


def _guess_language(files: Mapping[str, bytes]) -> str:
    for name in sorted(files, key=lambda name: (name.count("/"), name)):
        if found := language_of(Path(name)):
            return found.name
    return ""


def unpack_upload(sent: Sequence[tuple[str, bytes]], most: int) -> Files:
    """The files of an upload: one file, several with their folders, or a zip."""
    if sum(len(data) for _, data in sent) > most:
        raise too_large(most)
    if len(sent) == 1 and sent[0][0].lower().endswith(".zip"):
        files = _unzip(sent[0][1], most)
    else:
        files = _collect_files(sent)
    files = _strip_top_folder(files)
    if not files:
        raise LudusError("no file was uploaded", "没有收到文件")
    if len(files) > MAX_BUNDLE_FILES:
        raise PayloadTooLarge(
            f"at most {MAX_BUNDLE_FILES} files", f"最多 {MAX_BUNDLE_FILES} 个文件"
        )
    _refuse_clashing_names(files)
    if len(files) == 1 and next(iter(files)).lower().endswith(".zip"):
        raise LudusError(
            "the zip contains only a zip; upload the bot's files themselves",
            "zip 里还是 zip；请直接上传 AI 的文件",
        )
    return _add_manifest(files)


def _collect_files(sent: Sequence[tuple[str, bytes]]) -> Files:
    files: Files = {}
    for name, data in sent:
        path = _check_path(name)
        if SKIPPED_NAMES & set(path.parts):
            continue
        if str(path) in files:
            raise LudusError(f"the file {name!r} was uploaded twice", f"文件 {name!r} 重复")
        files[str(path)] = data
    return files


def _check_path(name: str) -> PurePosixPath:
    """The path of a file; refuses paths outside the bot's folder."""
    path = PurePosixPath(name.replace("\\", "/"))
    parts = path.parts
    bad = not parts or path.is_absolute() or ".." in parts or ":" in parts[0]
    if bad or archive.is_name_too_long(name) or not name.isprintable():
        shown = ascii(name[:100])[1:-1]
        raise LudusError(
            f"{shown} cannot be the name of a bot's file", f"{shown} 不能作为 AI 的文件名"
        )
    return path


def _refuse_clashing_names(files: Files) -> None:
    """Refuse names that are the same on other systems, or both a file and a folder."""
    known: dict[str, str] = {}
    for name in sorted(files):
        path = PurePosixPath(name)
        for part in (path, *path.parents[:-1]):
            whole = str(part)
            other = known.setdefault(_fold_name(whole), whole)
            if other != whole or (whole in files and part is not path):
                first, second = ascii(other)[1:-1], ascii(name)[1:-1]
                raise LudusError(
                    f"{first} and {second} cannot be in the same folder on some systems",
                    f"{first} 与 {second} 在有些系统上无法并存",
                )


def _fold_name(name: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def _unzip(data: bytes, most: int) -> Files:
    path = Path("upload.zip")
    try:
        return archive.read_contents(path, data, most * MAX_UNPACKED_RATIO, MAX_BUNDLE_FILES)
    except LudusError as error:
        raise _hide_server_path(error, path) from None


def _hide_server_path(error: LudusError, path: Path) -> LudusError:
    """The error without paths of the server."""
    texts = {lang: text.replace(str(path), "the zip") for lang, text in error.text.items()}
    return error.rephrase(texts["en"], texts["zh"].replace("the zip", "该 zip"))


def _strip_top_folder(files: Files) -> Files:
    """The files without a folder that contains all of them."""
    while files and MANIFEST not in files:
        tops = {name.partition("/")[0] for name in files}
        if len(tops) != 1 or any("/" not in name for name in files):
            break
        files = {name.partition("/")[2]: data for name, data in files.items()}
    return files


def _add_manifest(files: Files) -> Files:
    """The files with a manifest, if there are several and the main file is clear."""
    if len(files) == 1 or MANIFEST in files:
        return files
    main = find_main_file(files)
    language = language_of(Path(main))
    assert language is not None
    text = f'language = "{language.name}"\nmain = "{main}"\n'
    return {**files, MANIFEST: text.encode()}


def find_main_file(files: Mapping[str, bytes]) -> str:
    """The main file of a bot with several files."""
    top = [n for n in files if "/" not in n and language_of(Path(n)) and '"' not in n]
    named = [name for stem in MAIN_FILE_STEMS for name in top if Path(name).stem.lower() == stem]
    if len(top) == 1 or named:
        return (named or top)[0]
    raise LudusError(
        f"which of these files is the bot? Call it main.py, or add a {MANIFEST}:"
        f" {', '.join(sorted(files)[:8])}",
        f"哪个文件是 AI？请命名为 main.py，或添加 {MANIFEST}：{'、'.join(sorted(files)[:8])}",
    )


def pack_files(files: Mapping[str, bytes]) -> bytes:
    """The files as they are stored: equal files give equal bytes."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as box:
        for name in sorted(files):
            member = zipfile.ZipInfo(name, STAMP)
            member.compress_type = zipfile.ZIP_DEFLATED
            member.external_attr = 0o644 << 16
            box.writestr(member, files[name])
    return target.getvalue()


def unpack_files(data: bytes) -> Files:
    """The files from ``pack_files``' result."""
    with zipfile.ZipFile(io.BytesIO(data)) as box:
        return {name: box.read(name) for name in box.namelist()}


def decode_texts(files: Mapping[str, bytes]) -> dict[str, str | None]:
    """Texts for the editor; None for files that are not text."""
    found: dict[str, str | None] = {}
    for name, data in files.items():
        try:
            found[name] = None if b"\0" in data else data.decode()
        except UnicodeDecodeError:
            found[name] = None
    return found


def compute_digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def write_files(files: Mapping[str, bytes], folder: Path) -> None:
    """Write the files of a bot into an empty folder, and nowhere else.

    Names were checked at the upload; they are checked again, because the database may come from a
    restored backup.
    """
    for name, data in files.items():
        target = folder / _check_path(name)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)


def too_large(most: int) -> PayloadTooLarge:
    return PayloadTooLarge(
        f"that is too large: {most >> 10} kB are allowed", f"过大：最多允许 {most >> 10} kB"
    )
