/** Searches for bouts, as they stand in addresses. */

export const FILTERS = [
  "player",
  "opponent",
  "version",
  "seat",
  "result",
  "fault",
  "game",
  "contest",
  "title",
  "since",
  "until",
] as const;
/** What can be asked of records in files. */
export const FILE_FILTERS = ["player", "game"] as const satisfies readonly BoutFilter[];
export type BoutFilter = (typeof FILTERS)[number];
export type BoutQuery = Partial<Record<BoutFilter, string>>;

export function readQuery(query: URLSearchParams, fields: readonly BoutFilter[]): BoutQuery {
  const found: BoutQuery = {};
  for (const field of fields) if (query.get(field)) found[field] = query.get(field)!;
  return found;
}

/** The address of a search over all bouts. */
export function boutsAddress(query: BoutQuery): string {
  return `/records?${new URLSearchParams(query as Record<string, string>)}`;
}

/** The bouts of two entrants of a contest. */
export function pairingAddress(contest: number, one: string, other: string): string {
  return boutsAddress({ contest: String(contest), player: `"${one}"`, opponent: `"${other}"` });
}

/** What the server is asked for: days of the reader become moments. */
export function askedQuery(query: BoutQuery): BoutQuery {
  const asked = { ...query };
  if (query.since) asked.since = dayStart(query.since, 0);
  if (query.until) asked.until = dayStart(query.until, 1);
  return asked;
}

function dayStart(day: string, later: number): string {
  const [year, month, date] = day.split("-").map(Number);
  const moment = new Date(year, month - 1, date + later);
  return Number.isNaN(moment.getTime()) ? day : moment.toISOString();
}
