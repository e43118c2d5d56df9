/** The settings of formats and matches as fields of a form. */

import type { RawSetting, Setting, Text } from "../../api/types";

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

/** What the choices of a setting mean. */
const CHOICES: Record<string, Record<string, Text>> = {
  schedule: {
    circle: { en: "round by round", zh: "逐轮" },
    drawn: { en: "drawn by lot", zh: "抽签" },
  },
  draw: {
    seeded: { en: "by seed", zh: "按种子" },
    lots: { en: "by lot", zh: "抽签" },
    md5: { en: "by a hash of the names", zh: "按名字的散列值" },
    given: { en: "as the entrants say", zh: "由参赛者指定" },
  },
  third: { match: { en: "by a match", zh: "加赛" }, shared: { en: "shared", zh: "并列" } },
  seats: {
    mirrored: { en: "each seed once on each seat", zh: "同一种子互换先后" },
    halves: { en: "swapped at half-time", zh: "半场互换" },
    fixed: { en: "never swapped", zh: "不换" },
  },
  last: {
    lot: { en: "lots", zh: "抽签" },
    first: { en: "the first of the pair wins", zh: "对阵在前者胜" },
    second: { en: "the second of the pair wins", zh: "对阵在后者胜" },
  },
  timeout: { bout: { en: "the bout", zh: "该局" }, match: { en: "the whole match", zh: "整场" } },
};

/** Instead of a list of the choices as programs write them. */
const HELP: Record<string, Text> = {
  schedule: { en: "in which order they meet", zh: "对阵的先后" },
  draw: { en: "who gets into which group", zh: "如何分组" },
  tie_breaks: {
    en: "one after the other: bouts, net, won, figure, head-to-head, sonneborn-berger, buchholz, lots",
    zh: "依次比较，可用：bouts（局分）、net（净胜）、won（胜局）、figure（数值）、head-to-head（相互成绩）、sonneborn-berger、buchholz、lots（抽签）",
  },
  third: { en: "after the semi-finals", zh: "半决赛之后" },
  seats: { en: "from bout to bout", zh: "各局之间" },
  last: { en: "if extra bouts do not decide", zh: "加赛仍未分出胜负时" },
  timeout: { en: "for a bot that hangs", zh: "AI 卡死时" },
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
    innerField("league.groups", "list", { en: "their names; none: one table", zh: "各组名称" }),
    innerField("league.draw", "choice", HELP.draw, ["seeded", "lots", "md5", "given"]),
    innerField("knockout.third", "choice", HELP.third, ["match", "shared"]),
  ],
  groups: [innerField("league.cycles", "int", { en: "how often each two meet", zh: "循环次数" })],
};

function innerField(name: string, type: Setting["type"], help: Text, choices?: string[]): Setting {
  return {
    name,
    type,
    help,
    choices,
    named: choices && choicesOf(name),
    title: titleOf(name),
    default: null,
  };
}

function lastOf(name: string): string {
  return name.split(".").at(-1)!;
}

/** Whether a setting has a name that people read. */
export function hasTitle(name: string): boolean {
  return lastOf(name) in TITLES;
}

export function titleOf(name: string): Text {
  const last = lastOf(name);
  return TITLES[last] ?? { en: last, zh: last };
}

export function choicesOf(name: string): Record<string, Text> | undefined {
  return CHOICES[lastOf(name)];
}

/** Fields for what the server explains; the rest is best left as it is. */
export function settingFields(settings: RawSetting[], format = ""): Setting[] {
  const plain = settings
    .filter((one) => TYPES[one.type] && one.help.en)
    .map((one): Setting => ({
      ...one,
      type: TYPES[one.type],
      title: titleOf(one.name),
      ...choiceLabels(one),
    }));
  const nested = (INNER[format] ?? []).map((one) => ({
    ...one,
    default: valueAt(defaultsOf(settings), one.name),
  }));
  return [...plain, ...nested];
}

function choiceLabels({ name, choices, help }: RawSetting): Pick<Setting, "named" | "help"> {
  return {
    named: choices ? choicesOf(name) : undefined,
    help: choices || name === "tie_breaks" ? (HELP[name] ?? help) : help,
  };
}

function defaultsOf(settings: RawSetting[]): Record<string, unknown> {
  return Object.fromEntries(settings.map((one) => [one.name, one.default]));
}

type Tree = Record<string, unknown>;

export function valueAt(tree: Tree, path: string): unknown {
  return path.split(".").reduce<unknown>((at, key) => (at as Tree | undefined)?.[key], tree);
}

/** `league.draw` becomes `{league: {draw}}`, beside everything else that the league has. */
export function unflatten(
  values: Record<string, unknown>,
  settings: RawSetting[],
): Record<string, unknown> {
  const tree: Tree = {};
  const defaults = defaultsOf(settings);
  for (const [path, value] of Object.entries(values)) {
    const keys = path.split(".");
    if (keys.length > 1) tree[keys[0]] ??= structuredClone(defaults[keys[0]] ?? {});
    const place = keys.slice(0, -1).reduce((at, key) => (at[key] ??= {}) as Tree, tree);
    place[keys.at(-1)!] = value;
  }
  return tree;
}

/** The other way round, for the fields of a form. */
export function flatten(tree: Record<string, unknown>, fields: Setting[]): Record<string, unknown> {
  const found = fields.map((field) => [field.name, valueAt(tree, field.name)] as const);
  return Object.fromEntries(found.filter(([, value]) => value !== undefined));
}
