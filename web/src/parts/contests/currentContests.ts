/** Which contests are worth a look now, and which wait for one's bot. */

import type { ContestInfo } from "../../api/generated";

/** Whether a contest is yet to come, takes entries, or is being played. */
export function isCurrent(contest: ContestInfo): boolean {
  return ["running", "open", "planned"].includes(contest.state);
}

/** Whether nobody was told of a contest yet: a copy, until entries open or have a time. */
export function isDraft({ state, opens }: ContestInfo): boolean {
  return state === "planned" && opens === null;
}

/** An order with those of one's own class first that one can still enter. */
export function byInvitation(a: ContestInfo, b: ContestInfo): number {
  return Number(isInvited(b)) - Number(isInvited(a));
}

function isInvited({ group, state, entered }: ContestInfo): boolean {
  return group !== null && state === "open" && !entered;
}
