/** Names of states, roles, formats and faults, and short sentences that several parts use. */

import type {
  BoutEnd,
  ContestState,
  FaultKind,
  FilmInfo,
  GroupRole,
  HouseBotInfo,
  MadeWith,
  OwnerInfo,
  Role,
  SeatFaultInfo,
  SeatPresence,
  StandingsRowInfo,
  Text,
  VersionState,
} from "./api/generated";
import { localize, settings, tr } from "./settings.svelte";
import { vocabulary } from "./vocabulary";

/** Texts of the server are in both languages, or plain words of a person. */
export function plainText(text: Text | string | null | undefined): string {
  return typeof text === "string" ? text : localize(text);
}

export function roleName(role: Role): string {
  return nameOf(vocabulary.roles, role);
}

/** What a member does in a class. */
export function groupRoleName(role: GroupRole): string {
  return nameOf(vocabulary.group_roles, role);
}

export function versionState(state: VersionState): string {
  return nameOf(vocabulary.version_states, state);
}

/** How the owner of a version says that it was made. */
export function madeWithName(madeWith: MadeWith): string {
  return nameOf(vocabulary.made_with, madeWith);
}

/** What the server calls something, for the reader; the key itself where it has no name. */
function nameOf(names: Record<string, Text>, key: string): string {
  return localize(names[key]) || key;
}

export function versionBadge(state: VersionState): string {
  return { checking: "busy", good: "good", refused: "bad" }[state];
}

/** Of contests, challenges and batch tests. */
export function contestState(state: ContestState): string {
  return nameOf(vocabulary.contest_states, state);
}

export function contestBadge(state: ContestState): string {
  if (state === "running") return "busy";
  return state === "open" ? "good" : "";
}

export function languageName(name: string): string {
  return vocabulary.languages[name] ?? name;
}

export function ownerName(owner: OwnerInfo | null | undefined): string {
  if (!owner || owner.kind === "house") return tr("built-in", "自带");
  return owner.kind === "team"
    ? tr(`team ${owner.name}`, `${owner.name} 队`)
    : owner.shown || owner.name;
}

/** What people call an entrant: built-in bots have names in both languages, others their own.
 * `search:800 (2)` is an engine, how long it thinks, and that it is the second of its name. */
export function botName(name: string): string {
  const [, kind, count, again] = /^(.*?)(?::(\d+))?( \(\d+\)|#\d+)?$/.exec(name) ?? [];
  const title = localize(vocabulary.house_bots[kind]);
  if (!title) return name;
  return (count ? tr(`${title}, ${count}`, `${title}（${count}）`) : title) + (again ?? "");
}

/** Those who may stand on a podium, best first. */
export function onPodium(rows: StandingsRowInfo[]): StandingsRowInfo[] {
  return rows.filter((row) => row.note !== "disqualified");
}

interface NamedPlayer {
  name: string;
  human?: boolean;
  bot?: unknown;
}

/** The name of a language model that plays as a baseline; null for all other bots. */
export function modelName(bot: string): string | null {
  return /^llm:(.+)$/.exec(bot)?.[1] ?? null;
}

/** What a player is called; people and uploaded bots keep the names that they were given. */
export function playerName(player: NamedPlayer | undefined): string {
  if (!player) return "";
  if (player.human) return guestName(player.name);
  return player.bot ? player.name : botName(player.name);
}

/** People without an account, and programs over the network, are called so; each reader sees it in their own language. */
export const GUEST_NAMES = {
  alone: { en: "Guest", zh: "游客" },
  other: { en: "Player", zh: "玩家" },
  program: { en: "a program", zh: "远程程序" },
} satisfies Record<string, Text>;

/** What guests who played alone were called in older records. */
const OLD_GUEST_NAMES = ["You", "你"];

function guestName(name: string): string {
  if (OLD_GUEST_NAMES.includes(name)) return localize(GUEST_NAMES.alone);
  const guest = findGuestName(name);
  return guest ? localize(guest) : name;
}

function findGuestName(name: string): Text | undefined {
  return Object.values(GUEST_NAMES).find(
    ({ en, zh }) => name.toLowerCase() === en.toLowerCase() || name === zh,
  );
}

/** Whether a person has said no name yet. */
export function isUnnamed(name: string): boolean {
  return OLD_GUEST_NAMES.includes(name) || findGuestName(name) !== undefined;
}

/** How well programs are kept apart, strongest first. */
export const ISOLATION_LEVELS: Record<string, Text> = {
  strong: { en: "high", zh: "高" },
  userns: { en: "medium", zh: "中" },
  plain: { en: "low", zh: "低" },
};

export function isolationLevel(level: string): string {
  return localize(ISOLATION_LEVELS[level]) || level;
}

/** Who sits there. */
export function seatName(seat: SeatPresence): string {
  if (seat.kind === "human" || seat.kind === "remote") return guestName(seat.name);
  return seat.kind === "bot" ? botName(seat.name) : seat.name;
}

/** A name with a space behind it where Chinese words follow and it does not end in them itself. */
function beforeChinese(name: string): string {
  return /[\p{Script=Han}）]$/u.test(name) ? name : `${name} `;
}

/** Who won, in a few words; `mine` are the reader's own seats. */
export function resultText(end: BoutEnd, players: NamedPlayer[], mine: number[] = []): string {
  if (end.winner === null) return tr("Draw", "平局");
  if (mine.includes(end.winner)) return tr("You won", "你赢了");
  const name = playerName(players[end.winner]);
  return tr(`${name} wins`, `${beforeChinese(name)}获胜`);
}

/** Why a bout ended, with the names that the page uses: the record knows guests and built-in bots by
 * others. `mine` are the reader's own seats. */
export function endText(end: BoutEnd, players: NamedPlayer[], mine: number[] = []): string {
  const names = players.map(({ name }) => name);
  const isClear = (name: string) => names.indexOf(name) === names.lastIndexOf(name);
  const clear = names.filter((name) => name && isClear(name));
  const why = localize(end.why);
  if (!clear.length) return why;
  return why.replace(namePattern(clear), (_, before = "", thing, name, gap, place) => {
    const seat = names.indexOf(name);
    const own = players[seat].human && isUnnamed(name) && mine.includes(seat);
    if (own) return addressed(before, thing, place);
    const shown = playerName(players[seat]);
    return before + (gap === undefined ? shown : beforeChinese(shown));
  });
}

/** Finds names, each with "the band of" and the like before it, and with the gap, of perhaps no
 * space, before Chinese words that follow. A name that begins another one is
 * found only where the longer one does not stand; one that ends with a letter, only as a whole word. */
function namePattern(names: string[]): RegExp {
  const longestFirst = [...names].sort((a, b) => b.length - a.length);
  const patterns = longestFirst.map((name) => {
    const literal = name.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
    return (/^\w/.test(name) ? "\\b" : "") + literal + (/\w$/.test(name) ? "\\b" : "");
  });
  return new RegExp(`(\\bthe (\\w+) of )?(${patterns.join("|")})( ?(?=\\p{Script=Han}))?`, "gu");
}

/** The reader instead of their name; `before` may say whose a `thing` is. */
function addressed(before: string, thing: string | undefined, place: number): string {
  if (settings.language === "zh") return `${before}你`;
  if (thing) return `your ${thing}`;
  return place === 0 ? "You" : "you";
}

/** What a seat did wrong, or that its person gave up; `mine` are the reader's own seats. */
export function faultText(
  fault: SeatFaultInfo,
  players: NamedPlayer[],
  mine: number[] = [],
): string {
  const own = mine.includes(fault.seat);
  const name = own ? tr("You", "你") : playerName(players[fault.seat]);
  if (fault.kind !== "resign") return `${name}${tr(": ", "：")}${localize(fault.why)}`;
  const space = own ? "" : " ";
  return /\bleft\b/.test(fault.why.en)
    ? tr(`${name} left the bout.`, `${name}${space}离开了对局。`)
    : tr(`${name} resigned.`, `${name}${space}认输了。`);
}

export function faultName(kind: FaultKind): string {
  return nameOf(vocabulary.faults, kind);
}

/** What a seat is called by the game; else by its player. */
export function seatLabel(film: FilmInfo, seat: number): string {
  return localize(film.game.seats[seat]) || playerName(film.players[seat]);
}

/** How strong a house bot is, in a word; empty where that is not known. */
export function levelName(level: HouseBotInfo["level"]): string {
  return level ? levelNames()[level] : "";
}

/** House bots with a level first, weakest first. */
export function byLevel(bots: HouseBotInfo[]): HouseBotInfo[] {
  const rank = ({ name, level }: HouseBotInfo): number =>
    level
      ? BOT_LEVELS.indexOf(level)
      : BOT_LEVELS.length + ENGINE_LEVELS.findIndex((end) => name.endsWith(end));
  return [...bots].sort((one, other) => rank(one) - rank(other));
}

/** Ends of the names of engines' levels, weakest first; every name has the last one. */
const ENGINE_LEVELS = [":easy", ":normal", ""];
const BOT_LEVELS = ["beginner", "normal", "hard", "master"] as const;

function levelNames(): Record<(typeof BOT_LEVELS)[number], string> {
  return {
    beginner: tr("Beginner", "入门"),
    normal: tr("Normal", "普通"),
    hard: tr("Hard", "困难"),
    master: tr("Master", "大师"),
  };
}

export function playerNames(summary: { players: NamedPlayer[] }): string {
  return summary.players.map(playerName).join(tr(" – ", " 对 "));
}

/** What decides between equals, as people call it. */
export function tieName(tie: string): string | null {
  return localize(vocabulary.tie_breaks[tie]) || null;
}

/** Where the openings of a contest come from, in words; empty: not decided yet. */
export function openingsText(openings: string): string {
  const plies = /^random:(\d+)$/.exec(openings)?.[1];
  if (plies) return tr(`${plies} random moves`, `随机 ${plies} 步`);
  if (openings === "suite") return tr("the game's collection", "游戏自带开局库");
  if (openings === "none") return tr("none", "无");
  return openings;
}

export function formatHelp(format: string): string {
  return localize(vocabulary.formats[format]?.summary);
}

export function formatName(format: string): string {
  return localize(vocabulary.formats[format]?.name) || format;
}
