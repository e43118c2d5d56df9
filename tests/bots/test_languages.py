"""Bots in other languages: compiled in the jail, kept, and told what is wrong with them."""

import os
import shutil
import threading
from pathlib import Path

import pytest

from ludus.bots.languages import rust
from ludus.bots.languages.base import BotCode, extra_folders
from ludus.bots.languages.registry import BY_NAME, LANGUAGES
from ludus.bots.languages.selftest import run_self_test
from ludus.bots.players.create import create_player
from ludus.bots.resolve import BotSource, resolve_bot
from ludus.errors import LudusError
from ludus.games import get
from ludus.match.record import Record
from ludus.match.series import series
from ludus.sandbox import JailLevel, Limits, Program, list_levels
from tests.support.languages import need, tried
from tests.support.shared_caches import keep_builds

GAME = get("reversi")
SMALL = GAME.Options(size=4)

CPP = """#include <ludus.hpp>
struct First : ludus::Bot {
    std::string move(const ludus::Turn& turn) override { return turn.legal.front(); }
};
int main() {
    First bot;
    return ludus::run(bot);
}
"""
C = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void say(const char *text) {
    unsigned size = strlen(text);
    unsigned char head[4] = {size >> 24, size >> 16, size >> 8, size};
    fwrite(head, 1, 4, stdout);
    fwrite(text, 1, size, stdout);
    fflush(stdout);
}

int main(void) {
    unsigned char head[4];
    while (fread(head, 1, 4, stdin) == 4) {
        unsigned size = head[0] << 24 | head[1] << 16 | head[2] << 8 | head[3];
        char *text = calloc(size + 1, 1), answer[100];
        if (fread(text, 1, size, stdin) != size) return 1;
        if (strstr(text, "\"type\":\"hello\"")) {
            say("{\"type\":\"hello\",\"protocol\":\"ludus/1\",\"want\":[\"legal\"]}");
        } else if (strstr(text, "\"type\":\"turn\"")) {
            int n = atoi(strstr(text, "\"n\":") + 4);
            char *legal = strstr(text, "\"legal\":[\"") + 10;
            const char *form = "{\"type\":\"move\",\"n\":%d,\"move\":\"%.2s\"}";
            snprintf(answer, sizeof answer, form, n, legal);
            say(answer);
        } else {
            say("{\"type\":\"ready\"}");
        }
        free(text);
    }
    return 0;
}
"""
JAVASCRIPT = """import { run } from "ludus";
console.log("loading");
run({ move: (turn) => { console.log("hm"); return turn.legal[0]; } });
"""
JAVA = r"""
import java.io.*;

public class First {
    static void say(String text) throws IOException {
        byte[] body = text.getBytes("UTF-8");
        DataOutputStream out = new DataOutputStream(System.out);
        out.writeInt(body.length);
        out.write(body);
        out.flush();
    }

    public static void main(String[] words) throws IOException {
        DataInputStream in = new DataInputStream(System.in);
        while (true) {
            byte[] body;
            try {
                body = new byte[in.readInt()];
            } catch (EOFException end) {
                return;
            }
            in.readFully(body);
            String text = new String(body, "UTF-8");
            if (text.contains("\"type\":\"hello\"")) {
                say("{\"type\":\"hello\",\"protocol\":\"ludus/1\",\"want\":[\"legal\"]}");
            } else if (text.contains("\"type\":\"turn\"")) {
                String n = text.split("\"n\":")[1].split(",")[0];
                String move = text.split("\"legal\":\\[\"")[1].split("\"")[0];
                say("{\"type\":\"move\",\"n\":" + n + ",\"move\":\"" + move + "\"}");
            } else {
                say("{\"type\":\"ready\"}");
            }
        }
    }
}
"""
RUST = r"""
use std::io::{Read, Write};

fn say(text: &str) {
    let mut out = std::io::stdout();
    out.write_all(&(text.len() as u32).to_be_bytes()).unwrap();
    out.write_all(text.as_bytes()).unwrap();
    out.flush().unwrap();
}

fn main() {
    let mut input = std::io::stdin();
    let mut head = [0u8; 4];
    while input.read_exact(&mut head).is_ok() {
        let mut body = vec![0u8; u32::from_be_bytes(head) as usize];
        input.read_exact(&mut body).unwrap();
        let text = String::from_utf8(body).unwrap();
        if text.contains("\"type\":\"hello\"") {
            say(r#"{"type":"hello","protocol":"ludus/1","want":["legal"]}"#);
        } else if text.contains("\"type\":\"turn\"") {
            let n = text.split("\"n\":").nth(1).unwrap().split(',').next().unwrap();
            let legal = text.split("\"legal\":[\"").nth(1).unwrap();
            let chosen = legal.split('"').next().unwrap();
            say(&format!("{{\"type\":\"move\",\"n\":{n},\"move\":\"{chosen}\"}}"));
        } else {
            say(r#"{"type":"ready"}"#);
        }
    }
}
"""
GO = r"""
package main

import (
	"encoding/binary"
	"encoding/json"
	"io"
	"os"
)

func say(answer map[string]any) {
	body, _ := json.Marshal(answer)
	binary.Write(os.Stdout, binary.BigEndian, uint32(len(body)))
	os.Stdout.Write(body)
}

func main() {
	var size uint32
	for binary.Read(os.Stdin, binary.BigEndian, &size) == nil {
		body := make([]byte, size)
		io.ReadFull(os.Stdin, body)
		var asked struct {
			Type  string
			N     int
			Legal []string
		}
		json.Unmarshal(body, &asked)
		switch asked.Type {
		case "hello":
			say(map[string]any{"type": "hello", "protocol": "ludus/1", "want": []string{"legal"}})
		case "turn":
			say(map[string]any{"type": "move", "n": asked.N, "move": asked.Legal[0]})
		default:
			say(map[string]any{"type": "ready"})
		}
	}
}
"""
BOTS = {
    "cpp": ("first.cpp", CPP),
    "c": ("first.c", C),
    "javascript": ("first.mjs", JAVASCRIPT),
    "java": ("First.java", JAVA),
    "rust": ("first.rs", RUST),
    "go": ("first.go", GO),
}


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, hasty_compilers: None) -> Path:
    monkeypatch.setenv("LUDUS_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    (tmp_path / "desk").mkdir()
    return tmp_path / "desk"


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def program(path: Path) -> Program:
    return resolve_bot(str(path), GAME).build_spec.build_program(Limits())


def complaint(path: Path) -> tuple[str, str]:
    source = resolve_bot(str(path), GAME)
    with pytest.raises(LudusError) as caught:
        create_player(source, GAME)
    assert caught.value.text["zh"] != caught.value.text["en"]
    return caught.value.text["en"], caught.value.detail


def bout(source: BotSource, **options: object) -> Record:
    players = [
        create_player(source, GAME, **options),
        create_player(resolve_bot("random", GAME), GAME),
    ]
    first, second = series(GAME, SMALL, players, 2, 1)
    assert first.record.verdict == second.record.verdict == "rules", first.record.faults
    return first.record


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.name)
def test_a_language_works_here_or_says_how_to_get_it(
    language: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep_builds(monkeypatch)  # the doctor of tests/cli tries the same samples
    health = run_self_test(language)
    assert health.works or not health.installed, health.text["en"] + health.detail
    assert language.title in health.text["en"] and language.title in health.text["zh"]
    if not health.installed:
        assert "apt install" in health.text["en"]


def test_rust_asks_for_the_linker_that_it_lacks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rust, "resolve_on_path", {"rustc": "/usr/bin/rustc"}.get)
    with pytest.raises(LudusError, match=r"need gcc.*apt install rustc gcc"):
        rust.LANGUAGE.locate()


HEAVY = ("java", "go", "rust")
"""Whose compilers take long: they are tried at the best level and at the one without namespaces."""


def tried_at(name: str) -> tuple[JailLevel, ...]:
    """C++ is tried at the best level: C has the same compiler, linker and command at every one."""
    every = list_levels()
    if name == "cpp":
        return every[:1]
    return tuple(dict.fromkeys((every[0], every[-1]))) if name in HEAVY else every


@pytest.mark.parametrize(
    ("name", "level"),
    [(name, level) for name in BOTS if name in tried() for level in tried_at(name)],
)
def test_a_bot_is_compiled_and_plays_at_every_level(
    desk: Path, name: str, level: JailLevel, monkeypatch: pytest.MonkeyPatch
) -> None:
    need(name)
    monkeypatch.setenv("LUDUS_JAIL", level)
    file, text = BOTS[name]
    bot = bout(resolve_bot(str(write(desk, file, text)), GAME)).bots[0]
    assert (bot.name, bot.isolation, len(bot.digest)) == (Path(file).stem, level, 64)


@pytest.mark.parametrize("level", list_levels())
def test_a_folder_of_javascript_finds_the_kit_at_every_level(
    desk: Path, level: JailLevel, monkeypatch: pytest.MonkeyPatch
) -> None:
    need("javascript")
    monkeypatch.setenv("LUDUS_JAIL", level)
    write(desk, "ludus.toml", 'language = "javascript"\n')
    write(desk, "main.mjs", JAVASCRIPT)
    bout(resolve_bot(str(desk), GAME))


def test_what_a_bot_with_a_kit_prints_goes_to_its_log(desk: Path) -> None:
    need("javascript")
    path = write(desk, "first.mjs", JAVASCRIPT)
    players = [
        create_player(resolve_bot(str(path), GAME), GAME),
        create_player(resolve_bot("random", GAME), GAME),
    ]
    (played,) = series(GAME, SMALL, players, 1, 1)
    assert played.outputs[0]["stderr"].startswith("loading\nhm\n")


BROKEN = [
    ("cpp", "struct A {} a;\nint main() { return a.x; }\n", "has no member named"),
    ("cpp", CPP.replace("<ludus.hpp>", "<nowhere.hpp>"), "nowhere.hpp"),
    ("c", "int main(void) { return x; }\n", "undeclared"),
    ("rust", "fn main() { let x: u8 = 300; }\n#[deny(warnings)] fn f( {}\n", "error"),
    ("java", "public class First { int x = true; }\n", "incompatible types"),
]


@pytest.mark.parametrize(
    ("name", "text", "what"), [broken for broken in BROKEN if broken[0] in tried()]
)
def test_a_compile_error_shows_the_compilers_words_with_the_bots_line(
    desk: Path, name: str, text: str, what: str
) -> None:
    need(name)
    file = BOTS[name][0]
    sentence, detail = complaint(write(desk, file, text))
    assert f"{file} does not compile; {BY_NAME[name].tool} says" in sentence
    assert what in detail and f"{file}:" in detail
    assert "/bot" not in detail and "/tmp" not in detail


@pytest.mark.parametrize("name", ["../shared.hpp", "deep/../../shared.hpp", "/home/shared.hpp"])
def test_an_include_from_outside_the_folder_gets_a_hint(desk: Path, name: str) -> None:
    """The author sees the file where it is, and the compiler says that there is no such file."""
    need("cpp")
    write(desk, "shared.hpp", "")
    (desk / "bot/deep").mkdir(parents=True)
    sentence, detail = complaint(write(desk / "bot", "first.cpp", f'#include "{name}"\n'))
    assert f"{name} is outside the bot's folder" in sentence
    assert "copy the file into the folder" in sentence and "No such file" in detail


def test_a_missing_include_of_the_folder_itself_gets_no_such_hint(desk: Path) -> None:
    need("cpp")
    write(desk, "ludus.toml", 'language = "cpp"\nmain = "first.cpp"\n')
    write(desk, "first.cpp", "int main() {}\n")
    (desk / "lib").mkdir()
    write(desk / "lib", "more.cpp", '#include "../nowhere.hpp"\n')
    sentence, detail = complaint(desk)
    assert "outside" not in sentence and "../nowhere.hpp" in detail


def test_a_long_complaint_is_cut(desk: Path) -> None:
    need("cpp")
    errors = "\n".join(f"int f{i}() {{ return missing{i}; }}" for i in range(100))
    _, detail = complaint(write(desk, "many.cpp", errors))
    assert len(detail.splitlines()) == 41 and "more lines" in detail


@pytest.mark.parametrize(
    "text",
    [
        '#include "/dev/zero"\nint main() {}\n',
        "int big[1 << 28] = {1, 2, 3};\nint main() { return big[5]; }\n",
    ],
)
def test_a_compile_bomb_ends_with_a_sentence(desk: Path, text: str) -> None:
    need("cpp")
    sentence, _ = complaint(write(desk, "bomb.cpp", text))
    assert "bomb.cpp" in sentence and ("was stopped" in sentence or "does not compile" in sentence)


def test_a_template_bomb_is_stopped_in_time(desk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    need("cpp")
    monkeypatch.setattr(type(BY_NAME["cpp"]), "seconds", 2.0)
    bomb = (
        "template <int D, long N> struct F {"
        " static constexpr long v = F<D - 1, 2 * N>::v + F<D - 1, 2 * N + 1>::v; };\n"
        "template <long N> struct F<0, N> { static constexpr long v = N; };\n"
        "int main() { return F<40, 1>::v; }\n"
    )
    sentence, _ = complaint(write(desk, "bomb.cpp", bomb))
    assert "bomb.cpp could not be compiled: g++ was stopped" in sentence


def test_a_bot_sees_nothing_of_the_host_while_it_is_compiled(desk: Path) -> None:
    need("cpp")
    secret = write(desk.parent, "secret.txt", '"the secret"')
    spy = write(desk, "spy.cpp", f'const char* x =\n#include "{secret}"\n;int main() {{}}\n')
    _, detail = complaint(spy)
    assert "No such file" in detail


def test_a_bot_is_compiled_once(desk: Path, home: Path) -> None:
    need("c")
    path = write(desk, "first.c", C)
    built = program(path).files["/out"]
    stamp = (built / "bot").stat().st_mtime_ns
    assert program(path).files["/out"] == built
    assert (built / "bot").stat().st_mtime_ns == stamp
    path.write_text(C + "// changed\n")
    assert program(path).files["/out"] != built


def test_a_damaged_build_is_made_again(desk: Path, home: Path) -> None:
    need("c")
    path = write(desk, "first.c", C)
    built = program(path).files["/out"]
    whole = (built / "bot").read_bytes()
    for damage in (
        lambda: (built / "bot").write_bytes(b"nonsense"),
        lambda: (built / "bot").unlink(),
        lambda: (built / "more").write_bytes(b""),
        lambda: (built.parent / "sums.json").write_text("{"),
        lambda: shutil.rmtree(built),
    ):
        damage()
        assert program(path).files["/out"] == built
        assert (built / "bot").read_bytes() == whole
        assert not (built / "more").exists()
    assert [entry.name for entry in built.parent.parent.iterdir()] == [built.parent.name]


def test_many_may_compile_the_same_bot_at_once(desk: Path, home: Path) -> None:
    need("c")
    path = write(desk, "first.c", C)
    found = []
    threads = [threading.Thread(target=lambda: found.append(program(path))) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({each.files["/out"] for each in found}) == 1 and len(found) == 6
    assert len(list((home / "cache" / "builds").iterdir())) == 1


def test_a_home_that_cannot_be_written_is_told(desk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    need("c")
    monkeypatch.setenv("LUDUS_HOME", str(write(desk, "file", "")))
    sentence, _ = complaint(write(desk, "first.c", C))
    assert "set LUDUS_CACHE to another folder" in sentence


def test_only_plain_files_are_taken_from_a_build(desk: Path) -> None:
    need("c")
    script = (
        "import os\n"
        "os.symlink('/etc/passwd', '/out/link')\n"
        "os.mkfifo('/out/pipe')\n"
        "os.makedirs('/out/deep/er')\n"
        "open('/out/deep/er/bot', 'w').write('x')\n"
    )
    write(desk, "make.py", script)
    write(desk, "main.c", C)
    write(
        desk,
        "ludus.toml",
        'language = "c"\n[build]\ncommand = ["/usr/bin/python3", "make.py"]\n'
        '[run]\ncommand = ["/out/deep/er/bot"]\n',
    )
    if not os.path.exists("/usr/bin/python3"):
        pytest.skip("no /usr/bin/python3")
    built = program(desk).files["/out"]
    assert [str(p.relative_to(built)) for p in built.rglob("*") if not p.is_dir()] == [
        "deep/er/bot"
    ]


def test_includes_come_with_a_file_and_nothing_else(desk: Path) -> None:
    need("c")
    write(desk, "lib/choose.h", '#include "../pick.h"\n')
    write(desk, "pick.h", "#define FIRST 10\n")
    write(desk, "unrelated.h", "")
    text = C.replace('[\\"") + 10', '[\\"") + FIRST')
    assert text != C
    path = write(desk, "first.c", '#include "lib/choose.h"\n' + text)
    source = resolve_bot(str(path), GAME)
    inside = {"/bot/first.c", "/bot/lib/choose.h", "/bot/pick.h"}
    assert set(source.build_spec.files) == inside
    bout(source)


def test_javascript_brings_what_it_imports_by_path(desk: Path) -> None:
    need("javascript")
    write(desk, "lib/choose.mjs", 'import "../more.mjs";\nexport const choose = (all) => all[0];\n')
    write(desk, "more.mjs", "")
    text = JAVASCRIPT.replace("turn.legal[0]", "choose(turn.legal)")
    path = write(desk, "first.mjs", "import { choose } from './lib/choose.mjs';\n" + text)
    source = resolve_bot(str(path), GAME)
    assert set(source.build_spec.files) == {
        "/bot/first.mjs",
        "/bot/lib/choose.mjs",
        "/bot/more.mjs",
    }
    bout(source)


def test_a_missing_toolchain_is_told_with_the_package(
    desk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from ludus.bots.languages import base as module

    monkeypatch.setenv("PATH", "/nowhere")
    module._locate_cached.cache_clear()
    try:
        sentence, _ = complaint(write(desk, "first.go", "package main"))
    finally:
        module._locate_cached.cache_clear()
    assert sentence == ("Go bots need go, which is not installed; on Debian: apt install golang-go")


def test_a_toolchain_outside_the_system_is_shown_but_never_the_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert extra_folders("/usr/bin/gcc") == ()
    assert extra_folders("/opt/node/bin/node") == (Path("/opt/node"),)
    assert extra_folders(f"{tmp_path}/.nvm/v22/bin/node") == (tmp_path / ".nvm/v22",)
    assert extra_folders(f"{tmp_path}/bin/node") == (tmp_path / "bin/node",)
    assert extra_folders(f"{tmp_path}/node") == (tmp_path / "node",)


def test_a_java_bot_may_be_in_a_package() -> None:
    from ludus.bots.languages.java import main_class

    code = BotCode("src/Main.java", ("src/Main.java",), (), "// package no;\npackage a.b;\n")
    assert main_class(code) == "a.b.Main"


def test_a_programs_file_is_not_taken_for_python(desk: Path) -> None:
    path = desk / "bot"
    shutil.copy("/bin/true", path)
    with pytest.raises(LudusError, match="write cmd:"):
        resolve_bot(str(path), GAME)
