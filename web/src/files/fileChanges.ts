/** What was changed in the files of a bot. */

/** The files of a version by path; null for those that are not text. */
export type BotFiles = Record<string, string | null>;
/** New texts by path; null for a file that was deleted. */
export type FileChanges = Record<string, string | null>;

export function changesBetween(before: BotFiles, after: BotFiles): FileChanges {
  const changes: FileChanges = {};
  for (const path of Object.keys(before)) if (!(path in after)) changes[path] = null;
  for (const [path, text] of Object.entries(after))
    if (before[path] !== text && text !== null) changes[path] = text;
  return changes;
}

export function applyChanges(before: BotFiles, changes: FileChanges): BotFiles {
  const after = { ...before };
  for (const [path, text] of Object.entries(changes)) {
    if (text === null) delete after[path];
    else after[path] = text;
  }
  return after;
}

export interface DiffLine {
  kind: "same" | "old" | "new" | "gap";
  text: string;
}

const CONTEXT_LINES = 2;
/** Texts that differ more are shown as wholly replaced where they differ. */
const MAX_COMPARED = 1_000_000;

/** The lines that differ, with a few around them. */
export function lineDiff(before: string, after: string): DiffLine[] {
  const old = splitLines(before);
  const fresh = splitLines(after);
  let start = 0;
  while (start < old.length && start < fresh.length && old[start] === fresh[start]) start++;
  let end = 0;
  while (
    end < old.length - start &&
    end < fresh.length - start &&
    old[old.length - 1 - end] === fresh[fresh.length - 1 - end]
  )
    end++;
  const middle = compare(
    old.slice(start, old.length - end),
    fresh.slice(start, fresh.length - end),
  );
  const same = (text: string): DiffLine => ({ kind: "same", text });
  return shorten([
    ...old.slice(0, start).map(same),
    ...middle,
    ...old.slice(old.length - end).map(same),
  ]);
}

function splitLines(text: string): string[] {
  return text === "" ? [] : text.split("\n");
}

/** By their longest common subsequence. */
function compare(old: string[], fresh: string[]): DiffLine[] {
  const width = fresh.length + 1;
  const lengths =
    old.length * fresh.length <= MAX_COMPARED ? new Uint32Array((old.length + 1) * width) : null;
  if (lengths) {
    for (let i = old.length - 1; i >= 0; i--)
      for (let j = fresh.length - 1; j >= 0; j--)
        lengths[i * width + j] =
          old[i] === fresh[j]
            ? lengths[(i + 1) * width + j + 1] + 1
            : Math.max(lengths[(i + 1) * width + j], lengths[i * width + j + 1]);
  }
  const lines: DiffLine[] = [];
  let i = 0;
  let j = 0;
  while (i < old.length || j < fresh.length) {
    if (lengths && i < old.length && j < fresh.length && old[i] === fresh[j]) {
      lines.push({ kind: "same", text: old[i++] });
      j++;
    } else if (
      i < old.length &&
      (j === fresh.length || !lengths || lengths[(i + 1) * width + j] >= lengths[i * width + j + 1])
    )
      lines.push({ kind: "old", text: old[i++] });
    else lines.push({ kind: "new", text: fresh[j++] });
  }
  return lines;
}

/** Leaves out what is far from any change. */
function shorten(lines: DiffLine[]): DiffLine[] {
  const near = new Set<number>();
  for (const [at, { kind }] of lines.entries())
    if (kind !== "same") for (let n = at - CONTEXT_LINES; n <= at + CONTEXT_LINES; n++) near.add(n);
  const shown: DiffLine[] = [];
  for (const [at, line] of lines.entries()) {
    if (near.has(at)) shown.push(line);
    else if (shown.at(-1)?.kind !== "gap") shown.push({ kind: "gap", text: "…" });
  }
  return shown;
}
