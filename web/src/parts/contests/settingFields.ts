/** The settings of formats and matches as fields of a form. */

import type { SettingInfo, SettingText, Text } from "../../api/generated";
import type { SettingField } from "../ui/settingField";
import { localize } from "../../settings.svelte";
import { vocabulary } from "../../vocabulary";

const TYPES: Record<string, SettingField["type"]> = {
  int: "int",
  float: "float",
  bool: "bool",
  literal: "choice",
  str: "text",
  vartuple: "list",
  tuple: "list",
  list: "list",
};

/** What is said of lists that must not be empty, by the setting's own name. */
const NEEDED: Record<string, Text> = {
  groups: {
    en: "Name at least one group, such as A; with a single group there is one table for all.",
    zh: "至少填一个组名，例如 A；只有一组时，所有人在同一张积分表中。",
  },
};

/** What is worth a field inside the formats that are made of others. */
const INNER: Record<string, SettingField[]> = {
  staged: [
    innerField("league.groups", "list", { en: "their names", zh: "各组名称" }),
    innerField("league.draw", "choice"),
    innerField("knockout.third", "choice"),
  ],
  groups: [innerField("league.cycles", "int", { en: "how often each pair meets", zh: "循环次数" })],
};

function innerField(name: string, type: SettingField["type"], help?: Text): SettingField {
  const { title, choices, help: usual } = wordsOf(name)!;
  return {
    name,
    type,
    help: help ?? usual ?? title,
    choices: type === "choice" ? Object.keys(choices) : undefined,
    named: type === "choice" ? choices : undefined,
    title,
    default: null,
    needed: NEEDED[lastOf(name)],
  };
}

function lastOf(name: string): string {
  return name.split(".").at(-1)!;
}

/** What the server calls a setting, whatever it is part of. */
function wordsOf(name: string): SettingText | undefined {
  return vocabulary.settings[lastOf(name)];
}

function titleOf(name: string): Text {
  return wordsOf(name)?.title ?? { en: lastOf(name), zh: lastOf(name) };
}

export function choicesOf(name: string): Record<string, Text> | undefined {
  return wordsOf(name)?.choices;
}

/** Fields for what the server explains; the rest is best left as it is. */
export function settingFields(settings: SettingInfo[], format = ""): SettingField[] {
  const plain = settings
    .filter((one) => TYPES[one.type] && one.help.en)
    .map((one): SettingField => ({
      ...one,
      type: TYPES[one.type],
      title: titleOf(one.name),
      needed: NEEDED[lastOf(one.name)],
      ...choiceLabels(one),
      ...orderOf(one),
    }));
  const nested = (INNER[format] ?? []).map((one) => ({
    ...one,
    default: valueAt(defaultsOf(settings), one.name),
  }));
  return [...plain, ...nested];
}

/** Lists of words that have names are put in order; lists of other things are written. */
function orderOf({ name, type }: SettingInfo): Partial<SettingField> {
  const named = lastOf(name) === "tie_breaks" ? vocabulary.tie_breaks : choicesOf(name);
  const some = TYPES[type] === "list" && Object.keys(named ?? {}).length > 0;
  return some ? { type: "order", named } : {};
}

function choiceLabels({ name, choices, help }: SettingInfo): Pick<SettingField, "named" | "help"> {
  return { named: choices ? choicesOf(name) : undefined, help: wordsOf(name)?.help ?? help };
}

function defaultsOf(settings: SettingInfo[]): Record<string, unknown> {
  return Object.fromEntries(settings.map((one) => [one.name, one.default]));
}

type Tree = Record<string, unknown>;

export function valueAt(tree: Tree, path: string): unknown {
  return path.split(".").reduce<unknown>((at, key) => (at as Tree | undefined)?.[key], tree);
}

/** The value of a field of a part whose kind is the usual one, or of that part as it is. */
function valueOrUsual(tree: Tree, settings: SettingInfo[], path: string): unknown {
  const part = path.split(".")[0];
  const usual = defaultsOf(settings);
  const [given, known] = [tree[part], usual[part]].map((one) => (one as Tree | null)?.name);
  return (
    valueAt(tree, path) ??
    (given === undefined || given === known ? valueAt(usual, path) : undefined)
  );
}

/** Settings as their form shows them, those that were left as they are usually, too. */
export function settingTexts(
  tree: Tree,
  settings: SettingInfo[],
  format: string,
  said: (name: string, value: unknown) => string,
): [string, string][] {
  return settingFields(settings, format).map(({ name, title, help }) => {
    const value = valueOrUsual(tree, settings, name);
    const text = value === 0 ? (meaningOfZero(localize(help)) ?? "0") : said(lastOf(name), value);
    return [localize(title), text];
  });
}

/** What the help of a setting says of 0: "none" for "at most; 0: none". */
function meaningOfZero(help: string): string | undefined {
  return /(?:^|\W)0[:：]\s*([^;；]+)/.exec(help)?.[1];
}

/** `league.draw` becomes `{league: {draw}}`, beside everything else that the league has. */
export function unflatten(
  values: Record<string, unknown>,
  settings: SettingInfo[],
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
export function flatten(
  tree: Record<string, unknown>,
  fields: SettingField[],
): Record<string, unknown> {
  const found = fields.map((field) => [field.name, valueAt(tree, field.name)] as const);
  return Object.fromEntries(found.filter(([, value]) => value !== undefined));
}
