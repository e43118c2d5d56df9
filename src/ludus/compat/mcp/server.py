"""The server: the tools and their descriptions, over stdin and stdout.

Only this module imports the library ``mcp`` (the extra ``mcp``). Every tool runs in a thread, one
after the other, because house bots play in this process and share its random generator. A call
that the client cancels interrupts the running bout.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Annotated, Any

import anyio.to_thread
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

import ludus
from ludus.bots.players.interrupt import Interrupt
from ludus.compat.mcp.bot_checks import check_bot
from ludus.compat.mcp.bouts import (
    MAX_BOUTS,
    MAX_CLOCK_S,
    MAX_MATCH_S,
    BoutOrder,
    count_results,
    describe_outputs,
    play_order,
    rate_match,
)
from ludus.compat.mcp.explanations import explain_record, summarize_folder, summarize_record
from ludus.compat.mcp.game_texts import describe_rules, list_games, make_starter
from ludus.compat.mcp.texts import MAX_ROWS, shorten
from ludus.compat.mcp.workspace import Workspace
from ludus.errors import LudusError

INSTRUCTIONS = """\
Ludus is an arena for game-playing programs. To write a bot: read `rules` of a game, take `starter`,
save it with `save_bot` (or your own tools, in this folder), `check` it until it is usable, then
`match` it against house bots and read `explain` of the bouts that it lost. Paths are relative to
the folder in which this server runs; nothing outside of it can be used. Bots run in a jail without
network access."""

GameName = Annotated[str, Field(description="The name of a game, as `games` lists it")]
BotName = Annotated[
    str, Field(description="A house bot (random, greedy, search:200, …) or a path in this folder")
]
Bots = Annotated[list[str], Field(description="A house bot or a path for each seat, in order")]
Options = Annotated[
    dict[str, int | float | str | bool] | None,
    Field(description="Options of the game that differ from its defaults, as `rules` lists them"),
]
Seed = Annotated[int | None, Field(description="Repeats what the same seed has played")]
BotSeconds = Annotated[
    float | None,
    Field(description=f"CPU seconds of each bot for a bout, at most {MAX_CLOCK_S:g}"),
]
Seconds = Annotated[
    float, Field(description=f"Wall seconds after which to stop, at most {MAX_MATCH_S:g}")
]
Json = dict[str, Any]


class LudusTools:
    """The tools. Each answers with JSON, or raises ToolError with a sentence."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self._lock = threading.Lock()

    async def _run(self, work: Callable[[Interrupt], Json]) -> Json:
        """Do the work in a thread; if the call is cancelled, interrupt it."""
        interrupt = Interrupt()

        def run() -> Json:
            with self._lock:
                return work(interrupt)

        try:
            return await anyio.to_thread.run_sync(run, abandon_on_cancel=True)
        except LudusError as error:
            detail = f"\n{shorten(error.detail)}" if error.detail else ""
            raise ToolError(f"{shorten(str(error))}{detail}") from None
        finally:
            interrupt.set()

    async def games(self) -> Json:
        """List the games with their seats and house bots."""
        return await self._run(lambda _: {"games": list_games()})

    async def rules(self, game: GameName) -> Json:
        """Everything about one game: its rules, options, endings, first position and bot API."""
        return await self._run(lambda _: describe_rules(game))

    async def starter(
        self,
        game: GameName,
        language: Annotated[str, Field(description="python, cpp or javascript")] = "python",
    ) -> Json:
        """The source of a small bot that plays legal moves, to start from."""
        return await self._run(lambda _: make_starter(game, language))

    async def save_bot(
        self,
        file: Annotated[str, Field(description="A path in this folder, like my_bot.py")],
        source: Annotated[str, Field(description="The whole content of the file")],
        overwrite: bool = False,
    ) -> Json:
        """Write a bot's source file into this folder."""

        def work(_: Interrupt) -> Json:
            place = self.workspace.write_source(file, source, overwrite)
            return {"file": self.workspace.name(place), "bytes": place.stat().st_size}

        return await self._run(work)

    async def check(self, game: GameName, bot: BotName) -> Json:
        """Play a bot in odd situations and say what is wrong with it. Takes up to a minute."""
        return await self._run(lambda _: check_bot(game, bot, self.workspace))

    async def play(
        self,
        game: GameName,
        bots: Bots,
        options: Options = None,
        seed: Seed = None,
        seconds_per_bot: BotSeconds = None,
        seconds: Seconds = 300.0,
    ) -> Json:
        """Play one bout, save its record, and say how it ended and what the bots printed."""
        order = self._order(game, bots, options, seed, seconds_per_bot, seconds, 1, False)

        def work(interrupt: Interrupt) -> Json:
            found = play_order(order(), self.workspace, interrupt)
            [bout] = found.bouts
            return {
                "record": self.workspace.name(found.record_path(bout)),
                "seed": found.seed,
                **summarize_record(bout.record),
                "moves": shorten(" ".join(map(found.game.spoken, bout.record.moves))),
                "outputs": describe_outputs(found, bout),
            }

        return await self._run(work)

    async def match(
        self,
        game: GameName,
        bots: Annotated[list[str], Field(description="Two bots: house bots or paths")],
        bouts: Annotated[int, Field(description=f"Bouts, at most {MAX_BOUTS}")] = 20,
        options: Options = None,
        seed: Seed = None,
        seconds_per_bot: BotSeconds = None,
        seconds: Seconds = 300.0,
    ) -> Json:
        """Play many bouts with seats swapped, save the records, and say which bot is stronger."""
        order = self._order(game, bots, options, seed, seconds_per_bot, seconds, bouts, True)

        def work(interrupt: Interrupt) -> Json:
            found = play_order(order(), self.workspace, interrupt)
            rating = rate_match(found) if len(found.names) == 2 else {}
            rows = [
                {
                    "record": self.workspace.name(found.record_path(bout)),
                    **summarize_record(bout.record),
                }
                for bout in found.bouts
            ]
            return {
                "folder": self.workspace.name(found.folder),
                "seed": found.seed,
                "first_bot": {"name": found.names[0], **count_results(found), **rating},
                "bouts_played": len(found.bouts),
                "complete": found.complete,
                "faults": [fault for row in rows for fault in row["faults"]][:5],
                "bouts": [
                    {key: row[key] for key in ("record", "winner", "winning_seat", "ended_by")}
                    for row in rows[:MAX_ROWS]
                ],
            }

        return await self._run(work)

    async def results(
        self,
        path: Annotated[str, Field(description="A folder of records that `match` named, or one")],
    ) -> Json:
        """Every bot's wins, draws, losses and faults in saved records, and a line per bout."""
        return await self._run(
            lambda _: summarize_folder(self.workspace.locate_existing(path), self.workspace)
        )

    async def explain(
        self, record: Annotated[str, Field(description="The path of a record")]
    ) -> Json:
        """Why a bout ended, its moves, scores over time, turning points, times and faults."""
        return await self._run(
            lambda _: explain_record(self.workspace.locate_existing(record), self.workspace)
        )

    def _order(
        self,
        game: str,
        bots: list[str],
        options: dict[str, int | float | str | bool] | None,
        seed: int | None,
        seconds_per_bot: float | None,
        seconds: float,
        bouts: int,
        swap: bool,
    ) -> Callable[[], BoutOrder]:
        """The order, made where its errors are answered."""
        return lambda: BoutOrder(
            game, bots, bouts, swap, options or {}, seed, seconds_per_bot, seconds
        )


def create_server(workspace: Workspace) -> MCPServer[Any]:
    """A server whose tools use one folder."""
    server: MCPServer[Any] = MCPServer(
        "ludus", instructions=INSTRUCTIONS, version=ludus.__version__, log_level="WARNING"
    )
    tools = LudusTools(workspace)
    for tool in (
        *(tools.games, tools.rules, tools.starter, tools.save_bot, tools.check),
        *(tools.play, tools.match, tools.results, tools.explain),
    ):
        server.add_tool(tool)
    return server


def serve(workspace: Workspace) -> None:
    """Answer on stdin and stdout until the client closes them."""
    create_server(workspace).run("stdio")
