/** The server's names of states, roles, faults, formats and the like. Every page that the server
 * sends has them built in; only Vite's own server for development sends a page without. */

import type { Vocabulary } from "./api/generated";

const embedded: unknown = JSON.parse(document.getElementById("vocabulary")!.textContent!);

export const vocabulary: Vocabulary =
  typeof embedded === "string"
    ? ((await (await fetch("/api/vocabulary")).json()) as Vocabulary)
    : (embedded as Vocabulary);
