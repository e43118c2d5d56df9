/** The part of Markdown in which guides of games are written, as data: nothing becomes HTML. */

export type Inline =
  { kind: "text" | "code" | "strong"; text: string } | { kind: "link"; text: string; href: string };

export type Block =
  | { kind: "heading"; level: number; words: Inline[] }
  | { kind: "paragraph"; words: Inline[] }
  | { kind: "list"; ordered: boolean; items: Inline[][] }
  | { kind: "table"; head: Inline[][]; rows: Inline[][][] }
  | { kind: "code"; language: string; text: string }
  | { kind: "board"; name: string };

const FENCE = /^\s*```\s*(\w*)/;
const HEADING = /^(#{1,6})\s+(.*)$/;
const ITEM = /^\s*(?:[-*+]|(\d+)[.)])\s+(.*)$/;
const ROW = /^\s*\|(.*)\|\s*$/;
const RULE = /^\s*\|[\s:|-]+\|\s*$/;
const BOARD = /^!\[\]\((\w+)\)\s*$/;
const SPANS = /`([^`]+)`|\*\*([^*]+)\*\*|\[([^\]]+)\]\(([^)\s]+)\)/g;

export function parseMarkdown(text: string): Block[] {
  const lines = text.replace(/\r/g, "").split("\n");
  const blocks: Block[] = [];
  let at = 0;
  while (at < lines.length) {
    const line = lines[at];
    if (!line.trim()) at++;
    else if (FENCE.test(line)) at = readCode(lines, at, blocks);
    else if (ROW.test(line)) at = readTable(lines, at, blocks);
    else if (ITEM.test(line)) at = readList(lines, at, blocks);
    else at = readLine(lines, at, blocks);
  }
  return blocks;
}

function readLine(lines: string[], at: number, blocks: Block[]): number {
  const heading = HEADING.exec(lines[at]);
  const board = BOARD.exec(lines[at]);
  if (heading) {
    blocks.push({ kind: "heading", level: heading[1].length, words: parseInline(heading[2]) });
    return at + 1;
  }
  if (board) {
    blocks.push({ kind: "board", name: board[1] });
    return at + 1;
  }
  const [joined, next] = readWhile(lines, at, (line) => !startsBlock(line));
  blocks.push({ kind: "paragraph", words: parseInline(joined) });
  return next;
}

function startsBlock(line: string): boolean {
  return !line.trim() || [FENCE, ROW, ITEM, HEADING, BOARD].some((one) => one.test(line));
}

/** The first line and those after it that go on, as one text. */
function readWhile(
  lines: string[],
  at: number,
  goesOn: (line: string) => boolean,
): [string, number] {
  const taken = [lines[at].trim()];
  let next = at + 1;
  while (next < lines.length && goesOn(lines[next])) taken.push(lines[next++].trim());
  return [taken.join(" "), next];
}

function readCode(lines: string[], at: number, blocks: Block[]): number {
  const language = FENCE.exec(lines[at])![1];
  let end = at + 1;
  while (end < lines.length && !FENCE.test(lines[end])) end++;
  blocks.push({ kind: "code", language, text: lines.slice(at + 1, end).join("\n") });
  return end + 1;
}

function readTable(lines: string[], at: number, blocks: Block[]): number {
  let end = at;
  while (end < lines.length && ROW.test(lines[end])) end++;
  const rows = lines
    .slice(at, end)
    .filter((line) => !RULE.test(line))
    .map(readCells);
  blocks.push({ kind: "table", head: rows[0] ?? [], rows: rows.slice(1) });
  return end;
}

function readCells(line: string): Inline[][] {
  return ROW.exec(line)![1]
    .split("|")
    .map((cell) => parseInline(cell.trim()));
}

function readList(lines: string[], at: number, blocks: Block[]): number {
  const ordered = ITEM.exec(lines[at])![1] !== undefined;
  const items: Inline[][] = [];
  while (at < lines.length && ITEM.test(lines[at])) {
    const [joined, next] = readWhile(lines, at, (line) => /^\s+\S/.test(line) && !ITEM.test(line));
    items.push(parseInline(ITEM.exec(joined)![2]));
    at = next;
  }
  blocks.push({ kind: "list", ordered, items });
  return at;
}

function parseInline(text: string): Inline[] {
  const found: Inline[] = [];
  let end = 0;
  for (const span of text.matchAll(SPANS)) {
    if (span.index > end) found.push({ kind: "text", text: text.slice(end, span.index) });
    found.push(readSpan(span));
    end = span.index + span[0].length;
  }
  if (end < text.length) found.push({ kind: "text", text: text.slice(end) });
  return found;
}

/** Only addresses of the web and of this page become links. */
function readSpan([, code, strong, label, href]: RegExpMatchArray): Inline {
  if (code !== undefined) return { kind: "code", text: code };
  if (strong !== undefined) return { kind: "strong", text: strong };
  if (/^(https?:\/\/|\/(?!\/)|#)/.test(href)) return { kind: "link", text: label, href };
  return { kind: "text", text: label };
}
