/** What is said once a version has joined the ladder of its game. */

import type { BotInfo } from "../../api/generated";
import { toast } from "../../state/toast.svelte";

export function sayOnLadder(bot: BotInfo, current: number): void {
  const number = bot.versions.find(({ id }) => id === current)?.number ?? "";
  toast.show(
    {
      en: `Version ${number} plays on the ladder now; its first bouts begin soon. See the ladder.`,
      zh: `第 ${number} 版已参加天梯，很快会开始对局。查看天梯。`,
    },
    `/ladder/${bot.game}`,
  );
}
