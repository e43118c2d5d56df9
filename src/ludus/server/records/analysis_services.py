"""Everything of a server that judges bouts."""

from __future__ import annotations

from pathlib import Path

from ludus.analysis.contest_turning_points import ContestTurningPoints
from ludus.server.bots.bot_mistakes import MistakeSummary
from ludus.server.records.analyses import AnalysisJobs
from ludus.server.records.analysis_batches import AnalysisBatches
from ludus.server.records.analysis_program import AnalysisPrograms
from ludus.server.web.traffic_limits import FairQueue


class AnalysisServices:
    """Single bouts, the mistakes of bots and the turning points of contests."""

    def __init__(self, folder: Path) -> None:
        """``folder`` is the server's home."""
        self.programs = AnalysisPrograms(folder)
        self.bouts = AnalysisJobs(folder, self.programs)
        turns = FairQueue(1)  # one batch at a time, of whatever kind
        self.bot_mistakes: AnalysisBatches[MistakeSummary]
        self.bot_mistakes = AnalysisBatches(folder, self.programs, turns)
        self.turning_points: AnalysisBatches[ContestTurningPoints]
        self.turning_points = AnalysisBatches(folder, self.programs, turns)

    async def close(self) -> None:
        """Stop all analyses."""
        for service in (self.bouts, self.bot_mistakes, self.turning_points):
            await service.close()
        await self.programs.close()
