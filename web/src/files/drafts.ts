/** Work that is not saved yet, kept in this browser: it survives a reload and a crash. */

const PREFIX = "ludus.draft.";
/** Browsers keep about five million characters for a site. */
const MAX_DRAFT_CHARS = 400_000;
const MAX_DRAFTS = 10;
const MAX_AGE_MS = 60 * 86_400_000;

export interface Draft<T> {
  /** When it was last changed; ISO. */
  at: string;
  content: T;
}

/** Keeps a draft; false if it is too large, or the browser keeps nothing. The oldest drafts give
 * way to it. */
export function keepDraft(key: string, content: unknown): boolean {
  const text = JSON.stringify({ at: new Date().toISOString(), content });
  if (text.length > MAX_DRAFT_CHARS) return false;
  try {
    const older = listDrafts("").filter((name) => name !== key);
    for (const name of older.slice(MAX_DRAFTS - 1)) dropDraft(name);
    return store(key, text, older.slice(0, MAX_DRAFTS - 1));
  } catch {
    return false;
  }
}

function store(key: string, text: string, others: string[]): boolean {
  for (;;) {
    try {
      localStorage.setItem(PREFIX + key, text);
      return true;
    } catch {
      const oldest = others.pop();
      if (oldest === undefined) return false;
      dropDraft(oldest);
    }
  }
}

export function readDraft<T>(key: string): Draft<T> | null {
  try {
    const draft = JSON.parse(localStorage.getItem(PREFIX + key) ?? "null") as Draft<T> | null;
    if (!draft?.content || Number.isNaN(Date.parse(draft.at))) return null;
    if (Date.now() - Date.parse(draft.at) <= MAX_AGE_MS) return draft;
    dropDraft(key);
  } catch {
    // private windows forbid it, or it was cut off
  }
  return null;
}

export function dropDraft(key: string): void {
  try {
    localStorage.removeItem(PREFIX + key);
  } catch {
    // then there is none
  }
}

/** The keys of the drafts that begin so, newest first. */
export function listDrafts(begins: string): string[] {
  try {
    return Object.keys(localStorage)
      .filter((name) => name.startsWith(PREFIX + begins))
      .map((name) => name.slice(PREFIX.length))
      .map((key) => ({ key, at: readDraft(key)?.at ?? "" }))
      .sort((a, b) => b.at.localeCompare(a.at))
      .map(({ key }) => key);
  } catch {
    return [];
  }
}
