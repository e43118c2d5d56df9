"""What the generator made, made fit for a strict content security policy, both languages side by
side, and plain static files.

The arena's policy allows neither inline scripts nor inline styles, and nothing from other hosts.
"""

from __future__ import annotations

import hashlib
import re
import shutil
from pathlib import Path

from ludus.lang import LANGUAGES, Text
from tools.docs_site.generator import BuildFailed

SCRIPTS = "assets/javascripts"
MISSING_NAME = "404.html"
MISSING_TITLE = "<h1>404 - Not found</h1>"
MISSING_TEXT = """<h1>没有这一页 · There is no such page</h1>
<p lang="zh"><a href="./../zh/index.html">文档首页</a></p>
<p lang="en"><a href="./../en/index.html">First page of the docs</a></p>"""
ROOT_LINK = re.compile(r'"/(?!/)')
INLINE_SCRIPT = re.compile(r"<script>(.*?)</script>", re.DOTALL)
SHADOW_STYLE = re.compile(r'(\w+)\.appendChild\(\w+\("style",\{\},(\w+)\.toString\(\)\)\)')
ADOPTED_STYLE = r"(s=>{s.replaceSync(\2.toString());\1.adoptedStyleSheets=[s]})(new CSSStyleSheet)"
"""The same style in a way that no policy forbids."""
SCOPE = re.compile(r'(?<=__md_scope=new URL\(")\./?(?=",location\))')
"""Where what a reader chose (the colours) is kept for: one language."""
NEIGHBOUR = re.compile(r'\s*<link rel="(?:next|prev)"[^>]*>')
"""Firefox loads the next page in advance, which the policy of the server forbids."""
EMPTY_SOURCE = re.compile(r'<div class="md-header__source">\s*</div>')
KEPT_AS_IT_IS = re.compile(r"(<(pre|textarea|script|style)\b.*?</\2>)", re.DOTALL)
INDENTATION = re.compile(r"\s*\n\s*")
ARENA_MARK = "<!-- arena -->"
"""Where the server puts the link back to the arena (``ludus.server.web.docs_site``)."""
SEARCH_WORDS = {
    '"aria-label":"Search"': Text('"aria-label":"Search"', '"aria-label":"搜索"'),
    'placeholder:"Search"': Text('placeholder:"Search"', 'placeholder:"搜索"'),
    'i===1?"result":"results"': Text('i===1?"result":"results"', '"条结果"'),
    '"No results"': Text('"No results"', '"没有结果"'),
    '"Loading search\\u2026"': Text('"Loading search\\u2026"', '"正在载入……"'),
    '"aria-label":"Search results"': Text(
        '"aria-label":"Search results"', '"aria-label":"搜索结果"'
    ),
}
"""Words of the search that the generator does not translate yet."""
WORDS_JOINED = re.compile(r"(?<=\{operator:)(?=\w+,operands:\w+\}\})")
WORDS_JOINED_BY = "self.joinedBy||"
ANSWER = re.compile(r'let (\w+)=(\w+)\(\{type:"text",data:(\w+\.data)\}\);')
NEAREST_ANSWER = (
    r'let \1=\2({type:"text",data:structuredClone(\3)});'
    r'if(!\1.data.items.length){self.joinedBy="or";\1=\2({type:"text",data:\3});self.joinedBy=null}'
)
"""Where no section has all words of a search, those with some of them are found: Chinese is typed
without spaces, and a sentence has words that no section has."""
REDIRECT_SCRIPT = """const first = navigator.language.toLowerCase().startsWith("zh") ? "zh" : "en";
location.replace(`${first}/index.html`);
"""
REDIRECT_PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Ludus docs · 弈场文档</title>
<script src="redirect.js"></script>
<p><a href="en/index.html">English</a> · <a href="zh/index.html" lang="zh">中文</a></p>
</html>
"""


def finish(sites: dict[str, Path], out: Path) -> None:
    """Put the sites of the languages into one folder, which replaces what was there at once."""
    made = out.with_name(f".{out.name}.new")
    shutil.rmtree(made, ignore_errors=True)
    made.mkdir(parents=True)
    for language, site in sites.items():
        shutil.copytree(site, made / language)
        _finish_language(language, made / language)
    shutil.move(made / LANGUAGES[0] / "images", made / "images")
    for language in LANGUAGES[1:]:
        shutil.rmtree(made / language / "images")
    (made / "redirect.js").write_text(REDIRECT_SCRIPT, encoding="utf-8")
    (made / "index.html").write_text(REDIRECT_PAGE, encoding="utf-8")
    shutil.rmtree(out, ignore_errors=True)
    made.rename(out)


def _finish_language(language: str, folder: Path) -> None:
    renamed = _finish_bundle(language, folder) | _finish_search(folder)
    renamed |= {"ludus.css": _name_by_content(folder / "ludus.css").name}
    for page in sorted(folder.glob("*.html")):
        text = page.read_text(encoding="utf-8")
        for old, new in renamed.items():
            text = text.replace(old, new)
        if page.name == MISSING_NAME:
            if MISSING_TITLE not in text:
                raise BuildFailed(f"{page.name} has another title than {MISSING_TITLE}")
            text = _make_relative(text).replace(MISSING_TITLE, MISSING_TEXT)
        text = INLINE_SCRIPT.sub(lambda script: _extract_script(script[1], folder), text)
        text = NEIGHBOUR.sub("", text)
        text, places = EMPTY_SOURCE.subn(ARENA_MARK, text)
        if places != 1:
            raise BuildFailed(f"{page.name} has no place for the link to the arena")
        text = text.replace('src="images/', 'src="../images/')
        for other in LANGUAGES:
            text = text.replace(f'"../{other}/index.html"', f'"../{other}/{page.name}"')
        page.write_text(_remove_indentation(text), encoding="utf-8")
    shutil.rmtree(folder / "assets/stylesheets/classic", ignore_errors=True)


def _remove_indentation(text: str) -> str:
    """The same page without the indentation and the empty lines of templates: a third of it."""
    parts = KEPT_AS_IT_IS.split(text)  # what lies between, what is kept, its tag, and so on
    parts[::3] = [INDENTATION.sub("\n", part) for part in parts[::3]]
    del parts[2::3]
    return "".join(parts)


def _make_relative(text: str) -> str:
    """The page for what is missing, which the generator thinks to lie at the root of its host."""
    text = ROOT_LINK.sub('"./', text.replace('href="/"', 'href="./index.html"'))
    return text.replace('"base":"./"', '"base":"."')


def _extract_script(script: str, folder: Path) -> str:
    """Write an inline script to a file; the tag that loads it."""
    path = folder / SCRIPTS / "inline.js"
    path.write_text(SCOPE.sub("..", script), encoding="utf-8")
    return f'<script src="{SCRIPTS}/{_name_by_content(path).name}"></script>'


def _finish_bundle(language: str, folder: Path) -> dict[str, str]:
    """Change the program of the pages; its old and new name."""
    (bundle,) = folder.glob(f"{SCRIPTS}/bundle.*.min.js")
    text, found = SHADOW_STYLE.subn(ADOPTED_STYLE, bundle.read_text(encoding="utf-8"))
    if found != 1:
        raise BuildFailed("the generator's search brings its style in another way than before")
    for old, words in SEARCH_WORDS.items():
        if old not in text:
            raise BuildFailed(f"the generator's search does not say {old} any more")
        text = text.replace(old, words[language])
    bundle.write_text(text, encoding="utf-8")
    return {bundle.name: _name_by_content(bundle).name}


def _finish_search(folder: Path) -> dict[str, str]:
    """Change the program that searches; its old and new name."""
    (worker,) = folder.glob(f"{SCRIPTS}/workers/search.*.min.js")
    text, joined = WORDS_JOINED.subn(WORDS_JOINED_BY, worker.read_text(encoding="utf-8"))
    text, answered = ANSWER.subn(NEAREST_ANSWER, text)
    if (joined, answered) != (1, 1):
        raise BuildFailed("the generator's search answers in another way than before")
    worker.write_text(text, encoding="utf-8")
    return {worker.name: _name_by_content(worker).name}


def _name_by_content(path: Path) -> Path:
    """Rename a file so that its name changes with its content: browsers may keep it for ever."""
    digest = hashlib.sha256(path.read_bytes()).hexdigest()[:8]
    stem = path.name.partition(".")[0]
    return path.replace(path.with_name(f"{stem}.{digest}{path.suffix}"))
