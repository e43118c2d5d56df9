/** What follows when an assignment gets a deadline that has passed. */

import type { AssignmentDetail, AssignmentSettings } from "../../api/generated";
import { fromDatetimeField } from "../../format";
import type { Question } from "../../state/question.svelte";

const DAY_MS = 86_400_000;

/** The question before such a change is saved, with what the class sees then; null if nothing
 * closes by it. The times are those of the form. */
export function pastDeadlineQuestion(
  before: AssignmentDetail,
  settings: AssignmentSettings,
  deadline: string,
  reveals: string,
): Question | null {
  const ends = new Date(deadline).getTime();
  const isMoved = fromDatetimeField(deadline) !== new Date(before.deadline).toISOString();
  if (!before.published || !isMoved || !(ends <= Date.now())) return null;
  const closes = ends + settings.late.days * DAY_MS;
  const shown = reveals ? new Date(reveals).getTime() : closes;
  const [lateEn, lateZh] =
    closes <= Date.now()
      ? ["Nobody can hand in any more.", "学生不能再提交。"]
      : ["What is handed in from now on is late.", "此后的提交算逾期。"];
  const percent = settings.late.percent_a_day;
  const [lossEn, lossZh] = percent
    ? [
        " What was handed in after the new deadline becomes late: each day that has begun takes" +
          ` ${percent} % off the points of its bouts, unless the student has more time.`,
        `新截止时间之后已有的提交也算逾期：每逾期一天（不满一天按一天计）扣对局得分的 ${percent}%（已延期的学生除外）。`,
      ]
    : ["", ""];
  const levels = settings.rivals.filter((one) => one.hidden).map((one) => one.level);
  const [seenEn, seenZh] =
    levels.length && !before.revealed && shown <= Date.now()
      ? [
          ` The class sees at once who the hidden rivals are (level ${levels.join(", ")}), their bouts` +
            " and their points, unless a student still has more time.",
          `全班将立即看到隐藏对手（第 ${levels.join("、")} 级）的名称、对局和得分，除非仍有学生在延期中。`,
        ]
      : ["", ""];
  return {
    title: { en: "The new deadline has passed already", zh: "新的截止时间已过" },
    text: { en: lateEn + lossEn + seenEn, zh: lateZh + lossZh + seenZh },
    yes: { en: "Save all the same", zh: "仍然保存" },
    no: { en: "Back to the form", zh: "返回修改" },
  };
}
