/** Which page is shown: the address bar is the state. */

import { currentAddress } from "./redirects";

/** What the server answers itself; the rest are addresses of this page. */
const SERVED = /^\/(api|docs)(\/|$)/;

class Router {
  path = $state("");
  query = $state(new URLSearchParams());

  constructor() {
    this.read();
    addEventListener("popstate", () => this.read());
    document.addEventListener("click", (event) => this.follow(event));
  }

  go(address: string): void {
    const before = this.path;
    history.pushState(null, "", address);
    this.read();
    if (this.path !== before) scrollTo(0, 0);
  }

  private read(): void {
    this.path = currentAddress(location.pathname);
    if (this.path !== location.pathname) {
      history.replaceState(null, "", this.path + location.search + location.hash);
    }
    this.query = new URLSearchParams(location.search);
  }

  /** Links inside the page do not load it anew. */
  private follow(event: MouseEvent): void {
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
