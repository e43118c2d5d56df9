/** What the states of assignments and submissions are called. */

import type {
  AssignmentInfo,
  MarkBookInfo,
  MarksInfo,
  StudentMarks,
  SubmissionInfo,
} from "../../api/generated";
import { numberText } from "../../format";
import { tr } from "../../settings.svelte";

export function stateName(state: AssignmentInfo["state"]): string {
  const names: Record<AssignmentInfo["state"], string> = {
    draft: tr("draft", "草稿"),
    planned: tr("not open yet", "未开放"),
    open: tr("open", "进行中"),
    late: tr("late submissions only", "逾期提交中"),
    closed: tr("closed", "已截止"),
    archived: tr("class archived", "班级已归档"),
  };
  return names[state];
}

export function stateKind(state: AssignmentInfo["state"]): string {
  if (state === "open") return "good";
  return state === "late" ? "hot" : "";
}

export function submissionName(one: SubmissionInfo): string {
  if (one.state === "refused") return tr("did not pass the check", "未通过检查");
  if (one.state === "waiting") return tr("being checked", "检查中");
  if (one.played < one.planned)
    return tr(`${one.played} of ${one.planned} bouts`, `${one.played}/${one.planned} 局`);
  return tr("graded", "已评测");
}

/** `7.5 / 10`, or a dash while nothing is known. */
export function pointsText(points: number | null, most: number): string {
  return `${points === null ? "–" : numberText(points)} / ${numberText(most)}`;
}

/** The total of marks as `7.5 / 10`; with a dash before anything is known. */
export function totalText(
  { total, most, lines }: MarksInfo,
  override: number | null = null,
): string {
  const isKnown = override !== null || lines.some((line) => line.points !== null);
  return pointsText(isKnown ? total : null, most);
}

/** The bouts of the submission that counts; none without one. */
export function boutsOf(
  { rivals, submission }: StudentMarks,
  book: MarkBookInfo,
): { played: number; planned: number } {
  return {
    played: rivals.reduce((sum, cell) => sum + cell.bouts, 0),
    planned: submission === null ? 0 : book.bouts * rivals.length,
  };
}
