/** What the rooms that this tab has opened were asked to be, to open one like them. */

import type { RoomRequest } from "../api/generated";

const key = (room: string): string => `ludus.room.${room}`;

export function keepRoomRequest(room: string, request: RoomRequest): void {
  try {
    sessionStorage.setItem(key(room), JSON.stringify(request));
  } catch {
    // where pages may keep nothing, a bout that was cut short cannot be played on
  }
}

/** Only of rooms in which one person plays: two would go on in two rooms. */
export function findLoneRequest(room: string): RoomRequest | null {
  try {
    const kept = JSON.parse(sessionStorage.getItem(key(room)) ?? "null") as RoomRequest | null;
    const people = kept?.seats.filter(({ kind }) => kind !== "bot") ?? [];
    return people.length === 1 && people[0].kind === "human" ? kept : null;
  } catch {
    return null;
  }
}
