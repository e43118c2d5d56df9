/** How a JSON value is laid out. */

export type JsonShape =
  | { kind: "text"; text: string }
  | { kind: "plain"; text: string }
  | { kind: "lines"; lines: string[] }
  | { kind: "grid"; rows: string[][] }
  | { kind: "words"; words: string[] }
  | { kind: "list"; items: unknown[] }
  | { kind: "table"; entries: [string, unknown][] };

/** Longer values are shown as the beginning of their JSON. */
const MAX_LAID_OUT_CHARACTERS = 20_000;
const MAX_BOARD_COLUMNS = 40;
const MAX_BOARD_TOKENS = 12;

function isScalar(value: unknown): boolean {
  return value === null || typeof value !== "object";
}

function scalarText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** The beginning of a value that is too long to be laid out; null for others. */
export function shortenedJson(value: unknown): string | null {
  const text = JSON.stringify(value) ?? "";
  if (text.length <= MAX_LAID_OUT_CHARACTERS) return null;
  return `${text.slice(0, MAX_LAID_OUT_CHARACTERS)}… (+${text.length - MAX_LAID_OUT_CHARACTERS})`;
}

/** Whether lines of equal length are the rows of a board: few kinds of characters, many of each. */
function isBoard(lines: string[]): boolean {
  const kinds = new Set(lines.join("")).size;
  return lines.length > 2 && lines[0].length <= MAX_BOARD_COLUMNS && kinds <= MAX_BOARD_TOKENS;
}

function shapeOfList(items: unknown[]): JsonShape {
  const rows = items.every(Array.isArray) ? (items as unknown[][]) : [];
  const width = rows[0]?.length ?? 0;
  if (rows.length > 1 && width && rows.every((r) => r.length === width && r.every(isScalar)))
    return { kind: "grid", rows: rows.map((row) => row.map(scalarText)) };
  const lines = items.filter((item): item is string => typeof item === "string");
  const even = lines.length === items.length && lines.every((l) => l.length === lines[0].length);
  if (lines.length > 1 && even && lines[0].length > 1)
    return isBoard(lines)
      ? { kind: "grid", rows: lines.map((line) => Array.from(line)) }
      : { kind: "lines", lines };
  if (items.length && items.every(isScalar)) return { kind: "words", words: items.map(scalarText) };
  return items.length ? { kind: "list", items } : { kind: "plain", text: "[]" };
}

/** Boards (rows of equal length) become grids, objects tables, and scalars text. */
export function shapeOf(value: unknown): JsonShape {
  if (typeof value === "string")
    return value.includes("\n")
      ? { kind: "lines", lines: value.split("\n") }
      : { kind: "text", text: value };
  if (Array.isArray(value)) return shapeOfList(value);
  if (value !== null && typeof value === "object") {
    const entries = Object.entries(value);
    return entries.length ? { kind: "table", entries } : { kind: "plain", text: "{}" };
  }
  return { kind: "plain", text: JSON.stringify(value) ?? "" };
}
