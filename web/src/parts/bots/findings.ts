/** Lines of a bot's own files that a check complains about. */

import type { Text, VersionCheckResult } from "../../api/generated";

/** A line of a bot's own files, and what is said of it. */
export interface SourceLine {
  file: string;
  line: number;
  why: Text;
}

const PLACES = [
  /File "([^"]+)", line (\d+)/g, // Python
  /^([\w./-]+\.(?:cpp|cc|h|hpp|c)):(\d+):/gm, // compilers
  /([\w./-]+\.m?js):(\d+)/g,
];

/** What the check found itself, and the innermost place that a traceback names in these files. */
export function findingsOf(check: VersionCheckResult | null, files: string[]): SourceLine[] {
  if (!check) return [];
  const wrong = check.findings.filter((one) => one.severity === "wrong");
  const found = wrong
    .map(({ text, evidence: { file, line } }) => ({ file, line, why: text }))
    .filter((one) => one.file);
  const output = wrong.flatMap((one) => [
    one.evidence.output,
    one.evidence.hint?.en ?? "",
    one.text.en,
  ]);
  for (const text of [check.stderr, ...output]) {
    const place = lastPlace(text, files);
    if (place && !found.some((one) => one.file === place.file && one.line === place.line))
      found.push(place);
  }
  return found;
}

function lastPlace(text: string, files: string[]): SourceLine | null {
  let last: { index: number; finding: SourceLine } | null = null;
  for (const pattern of PLACES) {
    for (const match of text.matchAll(pattern)) {
      const file = files.find((name) => match[1] === name || match[1].endsWith(`/${name}`));
      if (!file || (last && match.index < last.index)) continue;
      const why = lastLine(text);
      last = {
        index: match.index,
        finding: { file, line: Number(match[2]), why: { en: why, zh: why } },
      };
    }
  }
  return last?.finding ?? null;
}

function lastLine(text: string): string {
  return text.trimEnd().split("\n").at(-1)?.trim() ?? "";
}
