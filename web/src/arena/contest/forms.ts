/** The settings of formats and matches as fields of a form. */

import type { Text } from "../../film/types";
import type { RawSetting, Setting } from "../types";

const TITLES: Record<string, Text> = {
  bouts: { en: "Bouts", zh: "局数" },
  seats: { en: "Seats", zh: "座位" },
  early_end: { en: "Early end", zh: "提前结束" },
  memory: { en: "Memory", zh: "记忆" },
  decide: { en: "Between equals", zh: "平分时" },
  extra: { en: "Extra bouts", zh: "加赛" },
  last: { en: "And then", zh: "仍平时" },
  timeout: { en: "Timeout costs", zh: "超时判负" },
  cycles: { en: "Cycles", zh: "循环次数" },
  points: { en: "Points", zh: "积分" },
  tie_breaks: { en: "Tie-breaks", zh: "同分比较" },
  schedule: { en: "Schedule", zh: "赛程" },
  groups: { en: "Groups", zh: "分组" },
  draw: { en: "Draw", zh: "分组方式" },
  through: { en: "Go through", zh: "出线人数" },
  third: { en: "Third place", zh: "第三名" },
  second_final: { en: "Second final", zh: "第二决赛" },
  rounds: { en: "Rounds", zh: "轮数" },
  challengers: { en: "Challengers", zh: "擂主" },
  enough: { en: "Enough", zh: "精度" },
};

const TYPES: Record<string, Setting["type"]> = {
  int: "int",
  float: "float",
  bool: "bool",
  literal: "choice",
  str: "text",
  vartuple: "list",
  tuple: "list",
  list: "list",
};

/** What is worth a field inside the formats that are made of others. */
const INNER: Record<string, Setting[]> = {
  staged: [
    inner("league.groups", "list", { en: "their names; none: one table", zh: "各组名称" }),
    inner("league.draw", "choice", { en: "who gets into which group", zh: "如何分组" }, ["seeded", "lots", "md5", "given"]),
    inner("knockout.third", "choice", { en: "match or shared", zh: "match 加赛，shared 并列" }, ["match", "shared"]),
  ],
  groups: [inner("league.cycles", "int", { en: "how often each two meet", zh: "循环次数" })],
};

function inner(name: string, type: Setting["type"], help: Text, choices?: string[]): Setting {
  return { name, type, help, choices, title: titleOf(name), default: null };
}

function titleOf(name: string): Text {
  const last = name.split(".").at(-1)!;
  return TITLES[last] ?? { en: last, zh: last };
}

/** Fields for what the server explains; the rest is best left as it is. */
export function fieldsOf(settings: RawSetting[], format = ""): Setting[] {
  const plain = settings
    .filter((one) => TYPES[one.type] && one.help.en)
    .map((one): Setting => ({ ...one, type: TYPES[one.type], title: titleOf(one.name) }));
  const nested = (INNER[format] ?? []).map((one) => ({ ...one, default: valueAt(defaultsOf(settings), one.name) }));
  return [...plain, ...nested];
}

function defaultsOf(settings: RawSetting[]): Record<string, unknown> {
  return Object.fromEntries(settings.map((one) => [one.name, one.default]));
}

export function valueAt(tree: Record<string, unknown>, path: string): unknown {
  return path.split(".").reduce<any>((at, key) => at?.[key], tree);
}

/** `league.draw` becomes `{league: {draw}}`, beside everything else that the league has. */
export function nested(values: Record<string, unknown>, settings: RawSetting[]): Record<string, unknown> {
  const tree: Record<string, any> = {};
  const defaults = defaultsOf(settings);
  for (const [path, value] of Object.entries(values)) {
    const keys = path.split(".");
    if (keys.length > 1) tree[keys[0]] ??= structuredClone(defaults[keys[0]] ?? {});
    const place = keys.slice(0, -1).reduce((at, key) => (at[key] ??= {}), tree);
    place[keys.at(-1)!] = value;
  }
  return tree;
}

/** The other way round, for the fields of a form. */
export function flat(tree: Record<string, unknown>, fields: Setting[]): Record<string, unknown> {
  const found = fields.map((field) => [field.name, valueAt(tree, field.name)] as const);
  return Object.fromEntries(found.filter(([, value]) => value !== undefined));
}
