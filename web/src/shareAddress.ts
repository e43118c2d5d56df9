/** Addresses for other people, in links and QR codes. */

import { account } from "./state/account.svelte";

/** Where other people open this page: as the server was told, else as this reader does. */
export function shareOrigin(): string {
  return account.publicUrl || location.origin;
}

/** Whether that address leads every computer to itself. */
export function opensHereOnly(): boolean {
  return /^(localhost|127\.|\[::1\]|0\.0\.0\.0)/.test(new URL(shareOrigin()).hostname);
}
