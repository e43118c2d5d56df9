"""Bots of Botzone are recognised by their source, built as there, and found in folders and zips."""

import pickle
import zipfile
from pathlib import Path

import pytest

from ludus.bots.languages.base import BotCode
from ludus.bots.languages.registry import BY_NAME
from ludus.bots.players.create import create_player
from ludus.bots.resolve import resolve_bot, resolve_bot_at
from ludus.compat.botzone import bot_languages
from ludus.compat.botzone.bot_program import build_program
from ludus.compat.botzone.bot_recognition import speaks_json, speaks_simply
from ludus.errors import LudusError
from ludus.findings import is_passed
from ludus.games import get
from ludus.match.bot_check.findings import make_findings
from ludus.match.bot_check.trials import BotCheck, CheckPlan, Trial
from ludus.sandbox import Limits
from ludus.server.bots.upload import unpack_upload, write_files
from ludus.server.bots.version_layout import find_in_folder
from tests.support import botzone
from tests.support.botzone import EXAMPLES, GAME, MARKER
from tests.support.languages import need

KITS = Path(bot_languages.__file__).parents[2] / "sdk"
JSON, SIMPLE, OURS = "botzone", "botzone-simpleio", "ludus/1"


@pytest.mark.parametrize(
    ("language", "text", "protocol"),
    [
        ("cpp", '#include "jsoncpp/json.h"\nint main() { getline(cin, line); }', JSON),
        ("cpp", "#include <nlohmann/json.hpp>\nint main() { nlohmann::json i; cin >> i; }", JSON),
        ("cpp", 'parse(in); in["requests"]; in["responses"]; // written by hand', JSON),
        ("cpp", "int main() { int n; cin >> n; }  // no JSON", SIMPLE),
        ("cpp", f'int main() {{ puts("{MARKER}"); }}', SIMPLE),
        ("c", 'int main(void) { int n; scanf("%d", &n); }', SIMPLE),
        ("cpp", "#include <iostream>\nint main() { std::cout << 3; }", OURS),
        ("cpp", '#include "ludus.hpp"\nint main() { std::string s; std::cin >> s; }', OURS),
        ("cpp", 'send("ludus/1"); std::cin >> x; json::parse(x);', OURS),
        ("javascript", 'process.stdin.on("data", d => JSON.parse(d).requests)', JSON),
        ("javascript", 'import { play } from "ludus"; process.stdin', OURS),
        ("java", "class Main { Scanner in = new Scanner(System.in); }", SIMPLE),
        ("python", "import json\nstate = json.loads(input())", JSON),
        ("python", "turns = int(input())", SIMPLE),
        ("python", "print(3)", OURS),
        ("rust", "fn main() { std::io::stdin(); }", OURS),
    ],
)
def test_a_source_shows_its_protocol(language: str, text: str, protocol: str) -> None:
    code = BotCode("bot", ("bot",), ("bot",), text)
    assert speaks_json(BY_NAME[language], code) is (protocol == JSON)
    assert speaks_simply(BY_NAME[language], code) is (protocol == SIMPLE)


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.*")), ids=lambda path: path.name)
def test_the_examples_are_recognised(path: Path) -> None:
    protocol = resolve_bot_at(path, GAME).protocol
    assert protocol == (SIMPLE if "simpleio" in path.name else JSON)


def test_bots_and_kits_of_ludus_are_not_taken_for_others() -> None:
    for path in [*KITS.rglob("*.*"), *(KITS.parents[2] / "examples").glob("*_bot.py")]:
        language = next((each for each in BY_NAME.values() if path.suffix in each.suffixes), None)
        if language is not None and path.suffix != ".py":
            code = BotCode(path.name, (path.name,), (path.name,), path.read_text())
            assert not speaks_json(language, code) and not speaks_simply(language, code), path
    assert resolve_bot(str(KITS.parents[2] / "examples" / "reversi_bot.py"), GAME).protocol == OURS


def test_ludus_toml_may_name_the_protocol(tmp_path: Path) -> None:
    (tmp_path / "ludus.toml").write_text('language = "cpp"\nprotocol = "botzone-simpleio"\n')
    botzone.write_bot(tmp_path, "int main() { return 0; }", "main.cpp")
    assert resolve_bot_at(tmp_path, GAME).protocol == SIMPLE


def test_a_zip_with_a_main_module_and_data_plays(tmp_path: Path) -> None:
    text = (EXAMPLES / "reversi_traditional.py").read_text()
    main = text.replace("SIZE = 8\n", "from rules.size import SIZE\n")
    with zipfile.ZipFile(tmp_path / "bot.zip", "w") as box:
        box.writestr("__main__.py", main)
        box.writestr("rules/size.py", 'SIZE = int(open("data/size.txt").read())\n')
        box.writestr("data/size.txt", "8")
    record = botzone.bout(botzone.player(tmp_path / "bot.zip"), botzone.house())
    assert record.verdict == "rules", record.faults


def test_an_uploaded_zip_starts_from_its_main_module() -> None:
    files = [("__main__.py", b"import json"), ("bot.py", b"x = 1"), ("data/x.txt", b"8")]
    manifest = unpack_upload(files, 10_000)["ludus.toml"].decode()
    assert 'main = "__main__.py"' in manifest


def test_an_uploaded_bot_is_recognised_and_checked(tmp_path: Path) -> None:
    files = unpack_upload([("mine.py", (EXAMPLES / "reversi_keep_running.py").read_bytes())], 9_999)
    write_files(files, tmp_path)
    source = pickle.loads(pickle.dumps(find_in_folder(str(tmp_path), GAME.name)))
    plan = CheckPlan(frozenset({Trial.SEATS, Trial.ODD_OPTIONS, Trial.OPPONENT_CRASH}), max_bouts=4)
    report = BotCheck(source, GAME, plan).run()

    assert source.protocol == JSON
    assert [bout.trial for bout in report.bouts] == [
        *[Trial.SEATS] * 2,
        *[Trial.OPPONENT_CRASH] * 2,
    ]
    assert not any(bout.faults for bout in report.bouts)
    assert is_passed(make_findings(GAME, report)) and not report.process_restarted


def test_simple_interaction_is_refused_where_the_game_has_none(tmp_path: Path) -> None:
    path = botzone.write_bot(tmp_path, "state = input()\n")
    with pytest.raises(LudusError, match="simple interaction, which tablut does not have"):
        create_player(resolve_bot_at(path, get("tablut")), get("tablut"))


HEADER_TEST = r"""
#include <cassert>
#include <iostream>
#include <jsoncpp/json.h>
#ifndef _BOTZONE_ONLINE
#error "not compiled as on Botzone"
#endif
int main() {
    std::string text = "{\"a\":[1,-2.5,\"\\u4e2d\\n\",true,null,{}],\"b\":{\"x\":3}}";
    Json::Value root;
    Json::Reader reader;
    assert(reader.parse(text, root) && root["a"].size() == 6 && root["b"]["x"].asInt() == 3);
    assert(root["a"][1].asDouble() == -2.5 && root["a"][(Json::UInt)3].asBool());
    assert(root["none"].isNull() && root.isMember("none") && !root.isMember("other"));
    root["list"].append(1);
    root["list"][3u] = "end";
    assert(root["list"].size() == 4 && root["list"][2].isNull());
    for (const auto &name : root.getMemberNames())
        std::cout << name << ' ';
    Json::FastWriter writer;
    std::cout << writer.write(root);
    assert(!reader.parse("{\"a\":[1,2}", root) && !reader.getFormattedErrorMessages().empty());
    try {
        Json::Value("text").asInt();
        return 1;
    } catch (const std::exception &) {
    }
    std::unique_ptr<Json::CharReader> again(Json::CharReaderBuilder().newCharReader());
    std::string errors;
    assert(again->parse(text.data(), text.data() + text.size(), &root, &errors));
    Json::StreamWriterBuilder builder;
    builder["indentation"] = "";
    std::cout << Json::writeString(builder, root["b"]) << std::endl;
    int n; std::cin >> n;
}
"""


def test_our_header_does_what_bots_use_of_jsoncpp(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    need("cpp")
    from ludus import sandbox

    monkeypatch.setattr(bot_languages, "SYSTEM_JSONCPP", tmp_path / "not-installed")
    path = botzone.write_bot(tmp_path, HEADER_TEST, "bot.cpp")
    built = build_program(resolve_bot_at(path, GAME), Limits(), None)
    done = sandbox.run(built.program, seconds=10, limits=Limits())

    assert (done.code, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        'a b list none {"a":[1,-2.5,"中\\n",true,null,{}],"b":{"x":3},'
        '"list":[1,null,null,"end"],"none":null}',
        '{"x":3}',
    ]


def test_an_installed_jsoncpp_is_used_and_linked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    need("cpp")
    (tmp_path / "json").mkdir()
    (tmp_path / "json" / "json.h").touch()
    monkeypatch.setattr(bot_languages, "SYSTEM_JSONCPP", tmp_path)
    language = bot_languages.COMPILED["cpp"]
    code = BotCode("bot.cpp", ("bot.cpp",), ("bot.cpp",), "")
    command = language.compile_command(language.toolchain(), code)

    assert command[command.index(str(tmp_path)) - 1] == "-I"
    assert command[-1] == "-ljsoncpp"
    (headers,) = language.kit_files().values()
    assert (headers / "jsoncpp" / "json.h").read_text().endswith("#include <json/json.h>\n")


def test_a_copy_of_jsoncpp_beside_the_file_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "jsoncpp").mkdir()
    botzone.write_bot(tmp_path, '#include "../jsoncpp.cpp"', "jsoncpp/json.h")
    botzone.write_bot(tmp_path, "#error never compiled", "jsoncpp.cpp")
    text = '#include "jsoncpp/json.h"\n#include "own.h"\nint main() { getline(cin, line); }'
    botzone.write_bot(tmp_path, "int own;", "own.h")
    source = resolve_bot_at(botzone.write_bot(tmp_path, text, "bot.cpp"), GAME)
    assert sorted(source.build_spec.files) == ["/bot/bot.cpp", "/bot/own.h"]


def test_a_missing_library_is_named_with_its_package(tmp_path: Path) -> None:
    need("cpp")
    path = botzone.write_bot(
        tmp_path, "#include <Eigen/NoSuchHeader>\nint main() { int n; std::cin >> n; }", "bot.cpp"
    )
    with pytest.raises(LudusError, match="apt install libeigen3-dev"):
        botzone.player(path)


@pytest.mark.parametrize("name", ["reversi_jsoncpp.cpp", "reversi_simpleio.cpp"])
def test_the_examples_in_cpp_play_by_the_rules(name: str) -> None:
    need("cpp")
    seat = botzone.player(EXAMPLES / name)
    assert botzone.bout(seat, botzone.house()).verdict == "rules"
