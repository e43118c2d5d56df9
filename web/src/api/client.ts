/** Questions to the server's JSON API, and its refusals. */

import type { Text } from "./types";

/** What the server said was wrong, in both languages. */
export class ApiError extends Error {
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
const session = { csrf: "" };

export function setCsrf(csrf: string): void {
  session.csrf = csrf;
}

export async function request<T>(path: string, init: RequestInit = {}): Promise<T> {
  const headers = new Headers(init.headers);
  if (init.method && session.csrf) headers.set("X-Csrf", session.csrf);
  let response: Response;
  try {
    response = await fetch(`/api${path}`, { ...init, headers });
  } catch {
    throw new ApiError(OFFLINE, 0);
  }
  const body: unknown = await response.json().catch(() => null);
  if (!response.ok) throw new ApiError(errorMessage(body, response), response.status);
  return body as T;
}

function errorMessage(body: unknown, response: Response): Text {
  const error = (body as { error?: Text } | null)?.error;
  if (error?.en) return error;
  return {
    en: `The server answered ${response.status} ${response.statusText}.`,
    zh: `服务器回答：${response.status} ${response.statusText}。`,
  };
}

function send<T>(method: string, path: string, body: unknown): Promise<T> {
  const headers = { "Content-Type": "application/json" };
  return request<T>(path, { method, headers, body: JSON.stringify(body) });
}

export function post<T>(path: string, body: unknown = {}): Promise<T> {
  return send("POST", path, body);
}

export function patch<T>(path: string, body: unknown): Promise<T> {
  return send("PATCH", path, body);
}

export function remove(path: string): Promise<unknown> {
  return request(path, { method: "DELETE" });
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
  return request(path, { method: "POST", body: form });
}

/** What went wrong, for the reader. */
export function errorText(error: unknown): Text {
  return error instanceof ApiError ? error.text : { en: String(error), zh: String(error) };
}
