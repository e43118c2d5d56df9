/** Questions to the server's JSON API, and its refusals. */

import type { ErrorResponse, Routes, Text } from "./generated";

/** What the server said was wrong, in both languages. */
export class ApiError extends Error {
  constructor(
    readonly text: Text,
    readonly status: number,
    readonly code = "",
  ) {
    super(text.en);
  }
}

const OFFLINE: Text = {
  en: "The server is not responding. Try again in a moment.",
  zh: "服务器没有响应，请稍后再试。",
};

/** Proves that a request comes from this page: the server names it in `/api/me`. */
const session = {
  csrf: "",
  /** Whether the login is valid again, so that a refused request can be repeated. */
  renew: (): Promise<boolean> => Promise.resolve(false),
};

/** Refusals of a change when the login has expired, or was renewed in another tab. */
const EXPIRED = ["not_logged_in", "missing_csrf"];

export function setCsrf(csrf: string): void {
  session.csrf = csrf;
}

export function onExpiredLogin(renew: () => Promise<boolean>): void {
  session.renew = renew;
}

/** A method and a path of the server, such as `GET /bots/{id}`. */
export type Route = keyof Routes;
export type Answer<R extends Route> = Routes[R]["answer"];
export type Params = Record<string, string | number | null | undefined>;

/** Ask the server. Params fill the names in the path, the others are its query; those without a
 * value are left out. */
export function call<R extends Route>(
  route: R,
  params: Params = {},
  body?: Routes[R]["body"],
): Promise<Answer<R>> {
  const headers = body === undefined ? undefined : { "Content-Type": "application/json" };
  const sent = body === undefined ? undefined : JSON.stringify(body);
  return send(route, params, { headers, body: sent });
}

/** Send files beside plain fields; fields without a value are left out. */
export function upload<R extends Route>(
  route: R,
  params: Params,
  files: { file: File; name: string }[],
  fields: Params = {},
  field = "files",
): Promise<Answer<R>> {
  const form = new FormData();
  for (const [key, value] of given(fields)) form.append(key, String(value));
  for (const { file, name } of files) form.append(field, file, name);
  return send(route, params, { body: form });
}

/** A change that is refused because the login has expired is repeated once it is renewed. */
async function send<R extends Route>(
  route: R,
  params: Params,
  init: RequestInit,
): Promise<Answer<R>> {
  const wasLoggedIn = session.csrf !== "" && !route.startsWith("GET ");
  try {
    return await sendOnce(route, params, init);
  } catch (error) {
    const expired = error instanceof ApiError && EXPIRED.includes(error.code);
    if (!wasLoggedIn || !expired || !(await session.renew())) throw error;
    return sendOnce(route, params, init);
  }
}

async function sendOnce<R extends Route>(
  route: R,
  params: Params,
  init: RequestInit,
): Promise<Answer<R>> {
  const [method, pattern] = route.split(" ");
  const headers = new Headers(init.headers);
  if (method !== "GET" && session.csrf) headers.set("X-Csrf", session.csrf);
  let response: Response;
  try {
    response = await fetch(address(pattern, params), { ...init, method, headers });
  } catch {
    throw new ApiError(OFFLINE, 0);
  }
  const body: unknown = await response.json().catch(() => null);
  if (!response.ok) {
    const code = (body as ErrorResponse | null)?.error?.code;
    throw new ApiError(errorMessage(body, response), response.status, code);
  }
  return body as Answer<R>;
}

/** Where something is on the server, for `call` and for links to files. */
export function address(pattern: string, params: Params = {}): string {
  const query = new URLSearchParams();
  let path = pattern;
  for (const [key, value] of given(params)) {
    const filled = path.replace(`{${key}}`, encodeURIComponent(value));
    if (filled === path) query.set(key, String(value));
    path = filled;
  }
  return `/api${path}${query.size ? `?${query}` : ""}`;
}

function given(params: Params): [string, string | number][] {
  return Object.entries(params).filter(
    (pair): pair is [string, string | number] => pair[1] != null && pair[1] !== "",
  );
}

function errorMessage(body: unknown, response: Response): Text {
  const error = (body as ErrorResponse | null)?.error;
  if (error?.en) return error;
  return {
    en: `The server returned ${response.status} ${response.statusText}.`,
    zh: `服务器返回：${response.status} ${response.statusText}。`,
  };
}

/** What a page opened by its address says to somebody who may not use it. */
export function notYours(en: string, zh: string): ApiError {
  return new ApiError({ en, zh }, 403, "forbidden");
}

/** What went wrong, for the reader. */
export function errorText(error: unknown): Text {
  return error instanceof ApiError ? error.text : { en: String(error), zh: String(error) };
}
