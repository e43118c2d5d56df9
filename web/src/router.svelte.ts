/** Which page is shown: the address bar is the state. */

import { currentAddress } from "./redirects";

/** What the server answers itself; the rest are addresses of this page. */
const SERVED = /^\/(api|docs)(\/|$)/;

/** Has a say before another address is shown. */
export interface LeaveGuard {
  /** Whether something would be lost by going there. */
  blocks: (to: URL) => boolean;
  /** Asks the reader; false keeps them where they are. */
  ask: () => Promise<boolean>;
}

class Router {
  path = $state("");
  query = $state(new URLSearchParams());
  private readonly guards = new Set<LeaveGuard>();
  /** Where the shown address stands among those of this tab: what "back" counts by. */
  private place = (history.state as { place?: number } | null)?.place ?? 0;
  /** Called when the browser has gone where the router sent it: nothing is asked then. */
  private arrived: (() => void) | null = null;

  constructor() {
    this.read();
    history.replaceState({ place: this.place }, "");
    addEventListener("popstate", (event) => void this.follow(event));
    document.addEventListener("click", (event) => this.followLink(event));
  }

  go(address: string): void {
    const guard = this.findGuard(new URL(address, location.href));
    if (!guard) return this.enter(address);
    void guard.ask().then((leave) => leave && this.enter(address));
  }

  /** Lets `guard` have a say before every change of the address; returns how to stop that. */
  guard(guard: LeaveGuard): () => void {
    this.guards.add(guard);
    return () => this.guards.delete(guard);
  }

  private enter(address: string): void {
    const before = this.path;
    history.pushState({ place: ++this.place }, "", address);
    this.read();
    if (this.path !== before) scrollTo(0, 0);
  }

  /** Changes the address of the page that is shown; "back" does not return to the old one. */
  replace(address: string): void {
    const before = this.path;
    history.replaceState(history.state, "", address);
    this.read();
    if (this.path !== before) scrollTo(0, 0);
  }

  private findGuard(to: URL): LeaveGuard | null {
    return [...this.guards].find((guard) => guard.blocks(to)) ?? null;
  }

  /** Back and forward: the browser has gone already, so it returns while the reader is asked. */
  private async follow(event: PopStateEvent): Promise<void> {
    const place = (event.state as { place?: number } | null)?.place ?? this.place;
    const steps = place - this.place;
    const guard = this.arrived || !steps ? null : this.findGuard(new URL(location.href));
    if (!guard) {
      this.place = place;
      this.read();
      this.arrived?.();
      this.arrived = null;
      return;
    }
    await this.travel(-steps, this.place);
    if (await guard.ask()) await this.travel(steps, place);
  }

  private travel(steps: number, place: number): Promise<void> {
    this.place = place;
    return new Promise((resolve) => {
      this.arrived = resolve;
      history.go(steps);
    });
  }

  private read(): void {
    this.path = currentAddress(location.pathname);
    if (this.path !== location.pathname) {
      history.replaceState(history.state, "", this.path + location.search + location.hash);
    }
    this.query = new URLSearchParams(location.search);
  }

  /** Links inside the page do not load it anew. */
  private followLink(event: MouseEvent): void {
    const link = (event.target as Element | null)?.closest?.("a");
    const plain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey;
    if (!link || !plain || event.defaultPrevented || link.target || link.hasAttribute("download")) {
      return;
    }
    const own = link.origin === location.origin && !SERVED.test(link.pathname);
    if (!own || (link.hash && link.pathname === location.pathname)) return;
    event.preventDefault();
    this.go(link.pathname + link.search + link.hash);
  }
}

export const router = new Router();

/** `#code=…` of the link that the server's terminal shows, or nothing. */
export function codeInHash(): string {
  return new URLSearchParams(location.hash.slice(1)).get("code") ?? "";
}

/** `#step=12` of an address, or null. */
export function stepInHash(): number | null {
  const found = /(?:^#|&)step=(\d+)/.exec(location.hash);
  return found ? Number(found[1]) : null;
}
