import type { PlayerInfo } from "../../api/generated";

/** The address of the page that compares a bot head to head with another, or with a house bot. */
export function matchupLink(bot: number, rival: PlayerInfo): string {
  return `/bots/${bot}/against/${encodeURIComponent(rival.bot?.id ?? rival.name)}`;
}
