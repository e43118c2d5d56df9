/** The analysis of a bout, for as long as its page shows it. */

import { BoutAnalysis } from "../film/analysis";
import { AnalysisJob } from "./analysisJob.svelte";

/** For components: the analysis of the film that a function names, none while it is null. */
export class FollowedAnalysis {
  job = $state.raw<AnalysisJob | null>(null);
  readonly judged = $derived(
    this.job?.info?.analysis ? new BoutAnalysis(this.job.info.analysis) : null,
  );

  constructor(film: () => string | null) {
    $effect(() => {
      const wanted = film();
      if (wanted === null) return;
      const made = new AnalysisJob(wanted);
      this.job = made;
      return () => {
        made.close();
        this.job = null;
      };
    });
  }
}
