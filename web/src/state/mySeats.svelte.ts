/** The seats of this browser's person in rooms, kept so that a closed tab loses no bout. */

import { readStored, store } from "../settings.svelte";

export interface MySeat {
  room: string;
  token: string;
  game: string;
}

const KEY = "seats";
const MAX_SEATS = 12;

class MySeats {
  /** The newest first. */
  list = $state.raw<MySeat[]>(readSeats());

  remember(seat: MySeat): void {
    const known = this.find(seat.room);
    if (known?.token === seat.token && known.game === seat.game) return;
    this.keep([seat, ...this.others(seat.room)].slice(0, MAX_SEATS));
  }

  forget(room: string): void {
    if (this.find(room)) this.keep(this.others(room));
  }

  find(room: string): MySeat | undefined {
    return this.list.find((one) => one.room === room);
  }

  private others(room: string): MySeat[] {
    return this.list.filter((one) => one.room !== room);
  }

  private keep(list: MySeat[]): void {
    this.list = list;
    store(KEY, JSON.stringify(list));
  }
}

function readSeats(): MySeat[] {
  try {
    const stored: unknown = JSON.parse(readStored(KEY) ?? "[]");
    return Array.isArray(stored) ? (stored as MySeat[]).filter((one) => one?.room) : [];
  } catch {
    return [];
  }
}

export const mySeats = new MySeats();
