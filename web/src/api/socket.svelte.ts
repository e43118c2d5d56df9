/** A WebSocket that comes back by itself. */

export type Link = "connecting" | "open" | "lost" | "closed";

const WAITS = [300, 700, 1500, 3000, 5000];

export class Socket<Message> {
  state = $state<Link>("connecting");
  private socket: WebSocket | null = null;
  private failures = 0;
  private timer = 0;
  private unheard = 0;

  constructor(
    private readonly path: string,
    private readonly hear: (message: Message) => void,
  ) {
    this.connect();
    addEventListener("online", this.hurry);
  }

  send(message: object): boolean {
    if (this.socket?.readyState !== WebSocket.OPEN) return false;
    this.socket.send(JSON.stringify(message));
    return true;
  }

  close(): void {
    this.state = "closed";
    clearTimeout(this.timer);
    removeEventListener("online", this.hurry);
    this.socket?.close();
  }

  private readonly hurry = (): void => {
    if (this.state !== "lost") return;
    clearTimeout(this.timer);
    this.connect();
  };

  private connect(): void {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const socket = new WebSocket(`${scheme}://${location.host}${this.path}`);
    this.socket = socket;
    this.unheard++;
    socket.onopen = () => (this.state = "open");
    socket.onmessage = (event) => {
      this.failures = 0;
      this.unheard = 0;
      this.hear(JSON.parse(event.data as string) as Message);
    };
    socket.onclose = (event) => this.lost(event);
  }

  /** Codes from 4000 say that coming back is of no use: the server has nothing there. */
  private lost(event: CloseEvent): void {
    if (this.state === "closed") return;
    if (event.code >= 4000 || this.unheard > 60) {
      this.state = "closed";
      return;
    }
    this.state = "lost";
    const wait = WAITS[Math.min(this.failures++, WAITS.length - 1)];
    this.timer = window.setTimeout(() => this.connect(), wait);
  }
}
