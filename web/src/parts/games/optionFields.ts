/** The options of a game as fields of a form, and their values in words. */

import type { GameOption } from "../../api/generated";
import { numberText } from "../../format";
import { localize, tr } from "../../settings.svelte";
import type { SettingField } from "../ui/settingField";

export function optionField(option: GameOption): SettingField {
  const { name, title, help, low, high, choices, value_names: named } = option;
  return {
    name,
    title,
    help,
    low,
    high,
    choices,
    named,
    type: typeOf(option),
    default: option.default,
  };
}

function typeOf({ choices, type }: GameOption): SettingField["type"] {
  if (choices) return "choice";
  if (type === "int" || type === "float" || type === "bool") return type;
  return type === "tuple" ? "list" : "text";
}

/** Options of a bout or a contest, in the words of the game; nothing until those are known. */
export function optionTexts(
  options: Record<string, unknown>,
  known: GameOption[] | undefined,
): [string, string][] {
  if (!known) return [];
  return Object.entries(options).map(([key, value]) => {
    const option = known.find(({ name }) => name === key);
    return option
      ? [localize(option.title), optionValue(option, value)]
      : [key, Array.isArray(value) ? value.join(", ") : numberText(value)];
  });
}

/** A value of an option as people say it. */
export function optionValue(option: GameOption, value: unknown): string {
  const text = Array.isArray(value) ? value.join(", ") : numberText(value);
  const named = localize(option.value_names[text]);
  if (named) return named;
  if (typeof value === "boolean") return value ? tr("yes", "是") : tr("no", "否");
  return text || tr("not given", "不指定");
}
