/** Where a person was before they had to do something else first: it comes back as `to` in an address. */

/** A contest or an assignment that waits for a bot. */
export interface BotPurpose {
  kind: "contests" | "assignments";
  id: number;
  /** Its page. */
  address: string;
}

/** A page of this site, or null: an address from outside must not lead elsewhere. */
export function ownAddress(text: string | null): string | null {
  if (!text?.startsWith("/")) return null;
  const url = URL.canParse(text, location.origin) ? new URL(text, location.origin) : null;
  return url?.origin === location.origin ? url.pathname + url.search + url.hash : null;
}

/** The page `/login` or `/register`, from which a person then comes back. */
export function throughAccount(page: "/login" | "/register", to: string | null): string {
  const back = ownAddress(to);
  return back ? `${page}?to=${encodeURIComponent(back)}` : page;
}

/** The contest or assignment for which a bot is made, or null. */
export function botPurpose(query: URLSearchParams): BotPurpose | null {
  const address = query.get("to") ?? "";
  const found = /^\/(contests|assignments)\/(\d{1,15})$/.exec(address);
  return found && { kind: found[1] as BotPurpose["kind"], id: Number(found[2]), address };
}

/** The page on which a bot for a contest or an assignment is made; it leads back there. */
export function newBotAddress(game: string, purpose: string): string {
  const query = new URLSearchParams({ game, way: "template", to: purpose });
  return `/bots/new?${query}`;
}
