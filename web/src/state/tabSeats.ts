/** The seat that this tab has in a room: kept here, so that the address never holds its token. */

/** The link to another seat of the room. */
export interface SeatInvitation {
  seat: number;
  link: string;
}

export interface TabSeat {
  token: string;
  /** For those who opened the room: how the others get to their seats. */
  invitations: SeatInvitation[];
}

const key = (room: string): string => `ludus.seat.${room}`;

export function keepTabSeat(room: string, token: string, invitations: SeatInvitation[] = []): void {
  try {
    sessionStorage.setItem(key(room), JSON.stringify({ token, invitations } satisfies TabSeat));
  } catch {
    // where pages may keep nothing, a reload loses the seat
  }
}

export function findTabSeat(room: string): TabSeat | null {
  try {
    return JSON.parse(sessionStorage.getItem(key(room)) ?? "null") as TabSeat | null;
  } catch {
    return null;
  }
}

/** Invitations as a room's address holds them: the person who opens it takes the seat. Programs do not
 * read addresses. */
export function invitingAddress(room: string, invitations: SeatInvitation[]): string {
  const query = new URLSearchParams();
  for (const { seat, link } of invitations) {
    const token = link.startsWith("ws") ? null : new URL(link).searchParams.get("token");
    if (token) query.append("invite", `${seat}:${token}`);
  }
  return `/room/${room}${query.size ? `?${query}` : ""}`;
}

/** What `invitingAddress` wrote. */
export function readInvitations(query: URLSearchParams): { seat: number; token: string }[] {
  return query.getAll("invite").flatMap((text) => {
    const [, seat, token] = /^(\d+):(.+)$/.exec(text) ?? [];
    return token ? [{ seat: Number(seat), token }] : [];
  });
}
