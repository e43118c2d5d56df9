/** A WebSocket that comes back by itself. */

import type { ClientMessage, SeminarView, ServerMessage } from "./generated";

export type ConnectionState = "connecting" | "open" | "lost" | "closed";

const RETRY_DELAYS_MS = [300, 700, 1500, 3000, 5000];

export class Socket {
  state = $state<ConnectionState>("connecting");
  private socket: WebSocket | null = null;
  private failures = 0;
  private timer = 0;
  private silentAttempts = 0;

  constructor(
    private readonly path: string,
    private readonly onMessage: (message: ServerMessage) => void,
  ) {
    this.connect();
    addEventListener("online", this.reconnectNow);
    addEventListener("offline", this.loseNow);
  }

  send(message: ClientMessage | SeminarView): boolean {
    if (this.socket?.readyState !== WebSocket.OPEN) return false;
    this.socket.send(JSON.stringify(message));
    return true;
  }

  close(): void {
    this.state = "closed";
    clearTimeout(this.timer);
    removeEventListener("online", this.reconnectNow);
    removeEventListener("offline", this.loseNow);
    this.socket?.close();
  }

  private readonly reconnectNow = (): void => {
    if (this.state !== "lost") return;
    clearTimeout(this.timer);
    this.connect();
  };

  /** Without a network a socket stays open until something is sent, or for minutes. */
  private readonly loseNow = (): void => {
    if (this.state === "closed") return;
    clearTimeout(this.timer);
    this.retryLater();
  };

  private connect(): void {
    this.abandonSocket();
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const socket = new WebSocket(`${scheme}://${location.host}${this.path}`);
    this.socket = socket;
    this.silentAttempts++;
    socket.onopen = () => (this.state = "open");
    socket.onmessage = (event) => {
      this.failures = 0;
      this.silentAttempts = 0;
      this.onMessage(JSON.parse(event.data as string) as ServerMessage);
    };
    socket.onclose = (event) => this.onClose(event);
  }

  /** Codes from 4000 say that coming back is of no use: the server has nothing there. */
  private onClose(event: CloseEvent): void {
    if (this.state === "closed") return;
    if (event.code >= 4000 || this.silentAttempts > 60) {
      this.state = "closed";
      return;
    }
    this.retryLater();
  }

  private retryLater(): void {
    this.abandonSocket();
    this.state = "lost";
    const wait = RETRY_DELAYS_MS[Math.min(this.failures++, RETRY_DELAYS_MS.length - 1)];
    this.timer = window.setTimeout(() => this.connect(), wait);
  }

  /** What the last socket still has to say comes too late. */
  private abandonSocket(): void {
    const { socket } = this;
    if (!socket) return;
    this.socket = null;
    socket.onopen = socket.onmessage = socket.onclose = null;
    socket.close();
  }
}
