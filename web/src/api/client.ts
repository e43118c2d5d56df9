/** Questions to the server's JSON API, and its refusals. */

import type { Text } from "./types";

/** What the server said was wrong, in both languages. */
export class Refusal extends Error {
  constructor(
    readonly text: Text,
    readonly status: number,
  ) {
    super(text.en);
  }
}

const OFFLINE: Text = {
  en: "The server does not answer. Is ./ludus still running?",
  zh: "服务器没有回应。./ludus 还在运行吗？",
};

/** Proves that a request comes from this page: the server names it in `/api/me`. */
const proof = { csrf: "" };

export function setCsrf(csrf: string): void {
  proof.csrf = csrf;
}

export async function ask<T>(path: string, init: RequestInit = {}): Promise<T> {
  const headers = new Headers(init.headers);
  if (init.method && proof.csrf) headers.set("X-Csrf", proof.csrf);
  let response: Response;
  try {
    response = await fetch(`/api${path}`, { ...init, headers });
  } catch {
    throw new Refusal(OFFLINE, 0);
  }
  const body: unknown = await response.json().catch(() => null);
  if (!response.ok) throw new Refusal(complaint(body, response), response.status);
  return body as T;
}

function complaint(body: unknown, response: Response): Text {
  const error = (body as { error?: Text } | null)?.error;
  if (error?.en) return error;
  return {
    en: `The server answered ${response.status} ${response.statusText}.`,
    zh: `服务器回答：${response.status} ${response.statusText}。`,
  };
}

function send<T>(method: string, path: string, body: unknown): Promise<T> {
  const headers = { "Content-Type": "application/json" };
  return ask<T>(path, { method, headers, body: JSON.stringify(body) });
}

export function post<T>(path: string, body: unknown = {}): Promise<T> {
  return send("POST", path, body);
}

export function patch<T>(path: string, body: unknown): Promise<T> {
  return send("PATCH", path, body);
}

export function remove(path: string): Promise<unknown> {
  return ask(path, { method: "DELETE" });
}

/** Files beside plain fields; fields without a value are left out. */
export function upload<T>(
  path: string,
  files: { file: File; name: string }[],
  fields: Record<string, string | number | null | undefined> = {},
  field = "files",
): Promise<T> {
  const form = new FormData();
  for (const [key, value] of Object.entries(fields)) {
    if (value !== null && value !== undefined && value !== "") form.append(key, String(value));
  }
  for (const { file, name } of files) form.append(field, file, name);
  return ask(path, { method: "POST", body: form });
}

/** What went wrong, for the reader. */
export function reasonOf(error: unknown): Text {
  return error instanceof Refusal ? error.text : { en: String(error), zh: String(error) };
}
