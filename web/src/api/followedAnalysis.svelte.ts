/** The analysis of a bout, for as long as its page shows it. */

import { BoutAnalysis } from "../film/analysis";
import { films } from "./api";
import { AnalysisJob } from "./analysisJob.svelte";

/** For components: the analysis of the film that a function names, none while it is null. */
export class FollowedAnalysis {
  job = $state.raw<AnalysisJob | null>(null);
  readonly judged = $derived(
    this.job?.info?.analysis ? new BoutAnalysis(this.job.info.analysis) : null,
  );

  /** A film of which the server knows nothing yet. */
  private unknown = "";

  constructor(film: () => string | null) {
    $effect(() => {
      const wanted = film();
      if (wanted === null) return;
      const made = new AnalysisJob(wanted, wanted === this.unknown);
      this.unknown = "";
      this.job = made;
      return () => {
        made.close();
        this.job = null;
      };
    });
  }

  /** A server that is asked about a bout gets ready to judge it, so that marks come sooner. */
  async prepare(film: string): Promise<void> {
    const known = await films.analysis(film).catch(() => null);
    if (known?.state === "none") this.unknown = film;
  }
}
