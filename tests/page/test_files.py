"""Files of the originals are opened, and bouts are saved in every format."""

import gzip
import json
import random
import re
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from playwright.sync_api import Browser, Page, expect

from ludus.bots.players.create import create_player
from ludus.bots.resolve import resolve_bot
from ludus.compat.formats import FORMATS
from ludus.games import get
from ludus.match import record as records
from ludus.match.record import Record
from ludus.match.referee import play
from tests.support.page_server import NewPage, Windows, pages_of
from tests.support.page_site import Site, at_step, length_of, wait_for

GOLDEN = Path(__file__).parents[1] / "golden"


def bout(name: str, **options: object) -> Record:
    game = get(name)
    players = [create_player(resolve_bot("random", game), game, isolate=False) for _ in game.seats]
    return play(game, game.Options.parse(options), random.Random(3).randrange(1000), players)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """One file of each original."""
    folder = tmp_path_factory.mktemp("originals")
    made = {
        ".txt": (GOLDEN / "duel2048/records/normal_40_rounds.txt").read_bytes(),
        ".json": gzip.decompress((GOLDEN / "eraser/replays/holes.json.gz").read_bytes()),
    }
    paper = bout("paperio", k=8, h=9, turns=40)
    made |= {f.suffix: f.write(paper) for f in FORMATS if f.game == "paperio"}
    for suffix, data in made.items():
        (folder / f"one{suffix}").write_bytes(data)
    return {suffix: folder / f"one{suffix}" for suffix in made}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_originals_are_called_as_their_games_are_here(new_page: NewPage, language: str) -> None:
    page = new_page("/records", language)
    for name in ("duel2048", "eraser", "paperio"):
        expect(page.locator("section.open")).to_contain_text(get(name).title[language])


@pytest.mark.parametrize(("suffix", "title"), [(".json", "Eraser"), (".zlog", "Paper.io")])
def test_a_file_of_an_original_opens(
    files: dict[str, Path], new_page: NewPage, suffix: str, title: str
) -> None:
    """Text or not; every suffix there is goes the same way as far as the page is concerned."""
    page = new_page("/records")
    page.set_input_files("[data-open=files]", files[suffix])
    page.wait_for_selector("article.bout")
    assert page.inner_text("h1") == title
    page.keyboard.press("End")
    at_step(page, length_of(page))
    assert length_of(page) > 4 and page.inner_text(".state .result")


def test_a_dropped_file_opens(files: dict[str, Path], new_page: NewPage) -> None:
    page = new_page("/", "zh")
    page.wait_for_selector(".open")
    drop = """(text) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([text], "one.txt"));
      for (const type of ["dragenter", "dragover", "drop"]) {
        window.dispatchEvent(new DragEvent(type, { dataTransfer: transfer, cancelable: true }));
      }
    }"""
    page.evaluate(drop, files[".txt"].read_text())
    page.wait_for_selector("article.bout[data-game=duel2048]")


def test_a_whole_folder_opens_and_its_bouts_follow_each_other(new_page: NewPage) -> None:
    page = new_page("/records")
    folder = GOLDEN / "duel2048/records/round_match_example"
    page.set_input_files("[data-open=folder]", folder)
    page.wait_for_selector("article.bout", timeout=60_000)
    first = page.url
    page.keyboard.press("n")
    page.wait_for_url(lambda url: url != first)
    page.wait_for_selector("article.bout")
    page.keyboard.press("p")
    page.wait_for_url(first)


def test_what_is_no_record_is_refused_in_words(new_page: NewPage, tmp_path: Path) -> None:
    page = new_page("/records")
    (tmp_path / "letter.txt").write_text("Dear Sir or Madam")
    page.set_input_files("[data-open=files]", tmp_path / "letter.txt")
    page.wait_for_selector(".trouble")
    assert "letter.txt" in page.inner_text(".trouble")


@pytest.mark.parametrize(
    ("language", "says"), [("en", "perhaps a return is missing"), ("zh", "也许漏写了 return")]
)
def test_a_missing_return_reads_as_it_does_in_the_terminal(
    new_page: NewPage, tmp_path: Path, language: str, says: str
) -> None:
    (tmp_path / "absent.py").write_text("class Bot:\n    def move(self, position, clock): pass\n")
    game = get("reversi")
    specs = (str(tmp_path / "absent.py"), "random")
    players = [create_player(resolve_bot(spec, game), game, isolate=False) for spec in specs]
    records.save(play(game, game.Options(), 1, players), tmp_path / "absent.ludus")
    page = new_page("/", language=language)
    page.set_input_files("[data-open=files]", tmp_path / "absent.ludus")
    page.wait_for_selector("article.bout")
    page.keyboard.press("End")
    told = page.wait_for_selector(".state .fault")
    assert told is not None and says in told.inner_text() and "?None" not in page.inner_text("body")


@pytest.fixture(scope="module")
def saved(site: Site) -> str:
    """A short record in the server's home: each step is a picture of a film."""
    record = bout("duel2048", rounds=3)
    records.save(record, site.home / "records" / "one-duel2048-01.ludus")
    return "one-duel2048-01"


@pytest.fixture(scope="module")
def page(saved: str, browser: Browser, site: Site, windows: Windows) -> Iterator[Page]:
    """That record on the page, from which everything can be saved."""
    for new_page in pages_of(browser, site, windows):
        page = new_page(f"/watch/{saved}#step=5")
        at_step(page, 5)
        yield page


def save(page: Page, what: str, folder: Path) -> Path:
    page.click("[aria-label=Save]")
    with page.expect_download(timeout=90_000) as waiting:
        page.click(f".choices >> text={what}")
    path = folder / waiting.value.suggested_filename
    waiting.value.save_as(path)
    page.click("h1")  # a press elsewhere closes the menu
    return path


def test_a_picture_of_a_position(page: Page, tmp_path: Path) -> None:
    file = save(page, "Picture of this position", tmp_path)
    data = file.read_bytes()
    assert file.suffix == ".png" and data.startswith(b"\x89PNG\r\n\x1a\n")
    assert int.from_bytes(data[16:20], "big") >= 1000


READ_GIF = """async (bytes) => {
  const data = new Uint8Array(bytes);
  const decoder = new ImageDecoder({ data, type: "image/gif" });
  await decoder.tracks.ready;
  await decoder.completed;
  const count = decoder.tracks.selectedTrack.frameCount;
  const colours = new Set();
  for (const frameIndex of [0, count - 1]) {
    const { image } = await decoder.decode({ frameIndex });
    const canvas = new OffscreenCanvas(image.displayWidth, image.displayHeight);
    const ctx = canvas.getContext("2d");
    ctx.drawImage(image, 0, 0);
    image.close();
    const pixels = new Uint32Array(ctx.getImageData(0, 0, canvas.width, canvas.height).data.buffer);
    pixels.forEach((pixel) => colours.add(pixel));
  }
  return { count, colours: colours.size };
}"""


def test_an_animation(page: Page, tmp_path: Path) -> None:
    file = save(page, "Animation", tmp_path)
    data = file.read_bytes()
    assert file.suffix == ".gif" and data.startswith(b"GIF89a") and data.endswith(b";")
    read = page.evaluate(READ_GIF, list(data))
    assert read["count"] == length_of(page) + 1
    assert 20 < read["colours"] <= 256


READ_VIDEO = """async ([bytes, type]) => {
  const video = document.createElement("video");
  video.muted = true;
  video.src = URL.createObjectURL(new Blob([new Uint8Array(bytes)], { type }));
  await new Promise((resolve, reject) => {
    video.onloadeddata = resolve;
    video.onerror = () => reject(new Error(video.error.message));
  });
  video.currentTime = video.duration / 2;
  await new Promise((resolve) => (video.onseeked = resolve));
  return { duration: video.duration, width: video.videoWidth };
}"""


@pytest.mark.parametrize(
    ("kind", "place", "magic"), [("webm", 0, b"\x1a\x45\xdf\xa3"), ("mp4", 4, b"ftyp")]
)
def test_a_video(page: Page, tmp_path: Path, kind: str, place: int, magic: bytes) -> None:
    if kind == "mp4" and not page.evaluate(H264):
        pytest.skip("this Chromium has no encoder for H.264; the next test sees what it says")
    file = save(page, {"webm": "WebM", "mp4": "MP4"}[kind], tmp_path)
    data = file.read_bytes()
    assert file.suffix == f".{kind}" and data[place:].startswith(magic)
    read = page.evaluate(READ_VIDEO, [list(data), f"video/{kind}"])
    assert read["duration"] > 5 and read["width"] >= 600
    if kind == "mp4":
        assert b"avc1" in data, "H.264, which phones play"
        assert data.index(b"moov") < data.index(b"mdat"), "it plays before all of it is there"


H264 = """VideoEncoder.isConfigSupported(
  { codec: "avc1.640028", width: 900, height: 976, bitrate: 2e6 }
).then((answer) => answer.supported)"""
NO_H264 = """
  const ask = VideoEncoder.isConfigSupported;
  VideoEncoder.isConfigSupported = (wish) =>
    wish.codec.startsWith("avc") ? Promise.resolve({ supported: false }) : ask(wish);
  MediaRecorder.isTypeSupported = (type) => !type.includes("mp4");
"""
"""A browser that was built without it, as some of Linux are."""


@pytest.mark.parametrize(
    ("language", "menu", "advice"),
    [("en", "Save", "Save a WebM or a GIF instead"), ("zh", "保存", "请改存 WebM 或 GIF")],
)
def test_a_browser_that_cannot_write_mp4_says_so(
    saved: str, new_page: NewPage, language: str, menu: str, advice: str
) -> None:
    page = new_page(f"/watch/{saved}", language)
    left = {"en": "left|right|up|down", "zh": "向[左右上下]滑"}[language]
    expect(
        page.locator(".move .text").filter(has_text=re.compile(f"^({left})$"))
    ).not_to_have_count(0)
    page.evaluate(f"() => {{ {NO_H264} }}")
    page.click(f"[aria-label={menu}]")
    page.click(".choices >> text=MP4")
    expect(page.locator(".choices [role=alert]")).to_contain_text(advice)


def test_a_page_of_its_own(page: Page, tmp_path: Path) -> None:
    file = save(page, "Standalone page", tmp_path)
    alone = page.context.new_page()
    alone.goto(file.as_uri() + "#step=3")
    at_step(alone, 3)
    alone.keyboard.press("End")
    at_step(alone, length_of(page))
    assert alone.inner_text("h1") == page.inner_text("h1")
    assert alone.evaluate("performance.getEntriesByType('resource').length") == 0


def test_the_record_itself(page: Page, tmp_path: Path) -> None:
    file = save(page, "Record", tmp_path)
    assert records.read(file).game == "duel2048"


def test_a_name_in_the_reason_of_an_end_is_told_as_it_is(new_page: NewPage, tmp_path: Path) -> None:
    """Names may contain each other, and what means something where text is replaced."""
    tries = (bout("paperio", k=8, h=9, turns=40) for _ in range(100))
    record = next(each for each in tries if "mover" in each.outcome.detail)
    mover = record.outcome.detail["mover"]
    names = {mover: "randomly $$ $&", 1 - mover: "random"}
    bots = [msgspec.structs.replace(each, name=names[n]) for n, each in enumerate(record.bots)]
    file = tmp_path / "names.ludus"
    file.write_bytes(records.pack(msgspec.structs.replace(record, bots=bots).with_checksum()))
    page = new_page("/records")
    page.set_input_files("[data-open=files]", file)
    page.wait_for_selector("article.bout")
    page.keyboard.press("End")
    at_step(page, length_of(page))
    expect(page.locator(".state .why")).to_contain_text("randomly $$ $& ")


def test_a_script_in_a_name_stays_text(site: Site, new_page: NewPage, tmp_path: Path) -> None:
    evil = "</script><script>document.title = 'taken over'</script>"
    record = bout("reversi", size=4)
    data = json.loads(gzip.decompress(records.pack(record)))
    data["bots"][0]["name"] = evil
    data["seal"] = ""
    file = site.home / "records" / "evil-01.ludus"
    file.parent.mkdir(exist_ok=True)  # the server's demos may not have ended a bout yet
    file.write_bytes(gzip.compress(json.dumps(data).encode()))
    page = new_page("/watch/evil-01")
    page.wait_for_selector("article.bout")
    copy = save(page, "Standalone page", tmp_path)
    alone = page.context.new_page()
    alone.goto(copy.as_uri())
    alone.wait_for_selector("article.bout")
    for one in (page, alone):
        assert evil in (one.get_attribute('[data-seat="0"] .name', "title") or "")
        assert one.title() != "taken over"
    file.unlink()
    wait_for(lambda: not file.exists())
