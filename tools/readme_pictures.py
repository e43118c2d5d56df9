"""Makes the moving pictures of the README from the running product: a duel, and a ladder.

    .venv/bin/python tools/readme_pictures.py

It plays a bout, starts a server with a few bots on a ladder, and takes pictures with Chromium.
"""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

ROOT = Path(__file__).resolve().parents[1]
PICTURES = ROOT / ".github/pictures"
LUDUS = [sys.executable, "-m", "ludus"]
CHROMIUM = "/usr/bin/chromium-headless-shell"
NAME, PASSWORD = "Ada", "correct horse battery"
LADDER_BOTS = (
    "reversi_bot.py",
    "botzone/reversi_traditional.py",
    "botzone/reversi_keep_running.py",
)
DUEL_STEPS, LADDER_FRAMES = 48, 24


def save_gif(frames: list[bytes], path: Path, milliseconds: int, width: int) -> None:
    """Write pictures as one that moves, in few colours, the last of them shown longer."""
    pictures = []
    for data in frames:
        picture = Image.open(io.BytesIO(data)).convert("RGB")
        height = round(picture.height * width / picture.width)
        picture = picture.resize((width, height), Image.Resampling.LANCZOS)
        pictures.append(picture.quantize(48, dither=Image.Dither.NONE))
    times = [milliseconds] * (len(pictures) - 1) + [2500]
    pictures[0].save(
        path, save_all=True, append_images=pictures[1:], duration=times, loop=0, optimize=True
    )
    print(f"{path.relative_to(ROOT)}: {len(pictures)} pictures, {path.stat().st_size // 1000} kB")


def make_duel(browser: Browser, home: Path) -> None:
    """A bout of Duel 2048, step by step, in the file that ``ludus replay html`` writes."""
    environment = {**os.environ, "LUDUS_HOME": str(home), "LUDUS_LANG": "en"}
    play = [*LUDUS, "play", "duel2048", "strong", "greedy", "--seed", "3", "-o", "rounds=100"]
    subprocess.run(play, env=environment, check=True, stdout=subprocess.DEVNULL)
    file = home / "duel.html"
    subprocess.run([*LUDUS, "replay", "html", "-o", file], env=environment, check=True)
    page = browser.new_page(viewport={"width": 900, "height": 620}, locale="en-US")
    page.goto(file.as_uri())
    page.wait_for_selector("canvas")
    frames = []
    for _ in range(DUEL_STEPS):
        page.keyboard.press("ArrowRight")
        page.wait_for_timeout(120)
        frames.append(page.screenshot())
    save_gif(frames, PICTURES / "duel.gif", 250, 520)


@contextmanager
def serve(home: Path) -> Iterator[str]:
    """A server of its own; the address at which its first account is made."""
    command = [*LUDUS, "serve", "--no-browser", "--no-demo", "--allow-plain", "--port", "0"]
    environment = {**os.environ, "LUDUS_HOME": str(home), "LUDUS_LANG": "en"}
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            for line in server.stdout:
                if found := re.search(r"http://\S+/welcome#code=\S+", line):
                    yield found[0]
                    return
            raise SystemExit("the server did not start")
        finally:
            server.terminate()


def make_ladder(browser: Browser, home: Path) -> None:
    """The ladder of Reversi, from the first bouts on."""
    with serve(home) as welcome:
        address, _, code = welcome.partition("/welcome#code=")
        page = browser.new_page(viewport={"width": 1000, "height": 620}, locale="en-US")
        page.goto(address)
        account = {"name": NAME, "password": PASSWORD, "code": code}
        csrf = post(page, "/api/register", account)["csrf"]
        asked = {"label": "pictures", "scopes": ["read", "upload"]}
        token = post(page, "/api/me/tokens", asked, csrf)["token"]
        environment = {**os.environ, "LUDUS_HOME": str(home / "remote")}
        login = [*LUDUS, "remote", "login", address]
        subprocess.run(login, env=environment, check=True, input=token, text=True)
        upload = [*LUDUS, "remote", "upload", "--game", "reversi", "--enter"]
        page.goto(f"{address}/ladder/reversi")
        for bot in LADDER_BOTS:
            subprocess.run([*upload, ROOT / "examples" / bot], env=environment, check=True)
        frames = []
        for _ in range(LADDER_FRAMES):
            time.sleep(2)
            frames.append(page.screenshot())
        save_gif(frames, PICTURES / "ladder.gif", 500, 720)


def post(page: Page, path: str, body: object, csrf: str = "") -> dict[str, str]:
    """Ask the server as its own page does."""
    code = """async ([path, body, csrf]) => {
        const headers = { "Content-Type": "application/json", "X-CSRF": csrf };
        const answer = await fetch(path, { method: "POST", headers, body });
        return [answer.status, await answer.text()];
    }"""
    status, text = page.evaluate(code, [path, json.dumps(body), csrf])
    if status >= 400:
        raise SystemExit(f"{path}: {text}")
    found: dict[str, str] = json.loads(text)
    return found


def main() -> None:
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(executable_path=CHROMIUM)
        make_duel(browser, Path(folder, "duel"))
        make_ladder(browser, Path(folder, "ladder"))


if __name__ == "__main__":
    main()
