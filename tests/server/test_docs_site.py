"""The docs site as the server serves it."""

import gzip
from pathlib import Path

import pytest

from ludus.server.web import docs_site
from ludus.server.web.security import CONTENT_SECURITY_POLICY
from tests.support.site import Site


@pytest.fixture
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A docs site that has been built."""
    docs = tmp_path / "docs"
    for language in ("en", "zh"):
        (docs / language / "assets").mkdir(parents=True)
        (docs / language / "bots.html").write_text(f"<p>{language} <!-- arena -->")
        (docs / language / "index.html").write_text(f"<p>start {language}")
        (docs / language / "404.html").write_text(f"<p>missing {language}")
        (docs / language / "assets" / "bundle.0123abcd.js").write_text("let a = 1\n" * 50)
    (docs / "index.html").write_text("<p>choose")
    (tmp_path / "secret").write_text("secret")
    monkeypatch.setattr(docs_site, "DOCS_FOLDER", docs)
    return docs


def test_pages_are_served_with_the_strict_policy(built: Path, shared: Site) -> None:
    page = shared.ask("/docs/zh/bots.html")
    assert page.status == 200
    assert page.body.decode() == '<p>zh <a class="arena" href="/">弈场</a>'
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert page.headers["content-security-policy"] == CONTENT_SECURITY_POLICY
    assert page.headers["cache-control"] == "public, max-age=300"
    script = shared.ask("/docs/en/assets/bundle.0123abcd.js", headers={"Accept-Encoding": "gzip"})
    assert "immutable" in script.headers["cache-control"]
    assert gzip.decompress(script.body) == b"let a = 1\n" * 50


def test_pages_that_a_wheel_has_gzipped_are_served_alike(built: Path, shared: Site) -> None:
    before = [shared.ask(path).body for path in ("/docs/zh/bots.html", "/docs/zh/nothing.html")]
    for page in (built / "zh").glob("*.html"):
        page.with_name(page.name + ".gz").write_bytes(gzip.compress(page.read_bytes()))
        page.unlink()
    (built / "index.html").touch()
    after = [shared.ask(path) for path in ("/docs/zh/bots.html", "/docs/zh/nothing.html")]
    assert [answer.body for answer in after] == before
    assert [answer.status for answer in after] == [200, 404]
    assert after[0].headers["content-type"] == "text/html; charset=utf-8"


@pytest.mark.parametrize(
    ("wanted", "language"),
    [
        ("zh-CN,zh;q=0.9,en;q=0.8", "zh"),
        ("de, en-GB;q=0.7, zh;q=0.3", "en"),
        ("de", "en"),
        ("", "en"),
    ],
)
def test_docs_alone_leads_to_the_readers_language(
    built: Path, shared: Site, wanted: str, language: str
) -> None:
    for path in ("/docs", "/docs/"):
        answer = shared.ask(path, headers={"Accept-Language": wanted})
        assert (answer.status, answer.body) == (200, f"<p>start {language}".encode())


def test_a_page_is_found_without_its_ending(built: Path, shared: Site) -> None:
    for path in ("/docs/zh/bots", "/docs/zh/bots/"):
        answer = shared.ask(path)
        assert (answer.status, answer.body.startswith(b"<p>zh")) == (200, True)


def test_what_is_not_there_is_said_in_the_language_of_the_address(
    built: Path, shared: Site
) -> None:
    for path in (
        "/docs/zh/nothing.html",
        "/docs/zh/..%2f..%2fsecret",
        "/docs/zh/%2e%2e/%2e%2e/secret",
    ):
        answer = shared.ask(path)
        assert (answer.status, answer.body) == (404, b"<p>missing zh")
    assert shared.ask("/docs/secret").status == 404


def test_without_the_docs_the_server_says_how_to_build_them(
    shared: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(docs_site, "DOCS_FOLDER", tmp_path / "nowhere")
    answer = shared.ask("/docs/zh/bots.html")
    assert answer.status == 503
    assert "./ludus --rebuild" in answer.body.decode() and "文档尚未构建" in answer.body.decode()
