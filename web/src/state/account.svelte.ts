/** The logged-in user, and messages that arrive for them. */

import type { AccountInfo, ServerMessage, UserInfo, VersionInfo } from "../api/generated";
import { onExpiredLogin, setCsrf } from "../api/client";
import { Socket } from "../api/socket.svelte";
import { codeInHash } from "../router.svelte";
import { accounts } from "../api/api";
import { toast } from "./toast.svelte";

class Account {
  /** The code in the link that opened the page; it allows making the first account. */
  readonly linkCode = codeInHash();
  private me = $state.raw<AccountInfo | null>(null);
  unread = $state(0);
  /** Whether the server has answered; until then it is unknown who is logged in. */
  loaded = $state(false);
  /** Whether the reader is asked to log in again, because the login has expired. */
  renewing = $state(false);
  private waiting: ((renewed: boolean) => void)[] = [];
  private socket: Socket | null = null;
  private readonly listeners = new Set<(version: VersionInfo) => void>();
  private readonly noticeListeners = new Set<(link: string) => void>();

  constructor() {
    onExpiredLogin(() => this.renewLogin());
  }

  get user(): UserInfo | null {
    return this.me?.user ?? null;
  }

  /** The name shown for the logged-in user. */
  get name(): string {
    return this.user?.shown || this.user?.name || "";
  }

  /** Whether there are accounts at all. */
  get hasAccounts(): boolean {
    return this.me !== null && !this.me.first;
  }

  /** Nobody has made the first account yet. */
  get needsFirstAccount(): boolean {
    return this.me?.first ?? false;
  }

  get needsCode(): boolean {
    return this.me?.needs_code ?? false;
  }

  get mayRegister(): boolean {
    return this.me?.open?.register ?? false;
  }

  /** Whether the server can send notices by e-mail. */
  get sendsMail(): boolean {
    return this.me?.sends_mail ?? false;
  }

  /** Where people open the page, if the server was told; without a slash at the end. */
  get publicUrl(): string {
    return this.me?.public_url ?? "";
  }

  get isStaff(): boolean {
    return this.user?.role === "organiser" || this.user?.role === "teacher";
  }

  /** Whether they belong to the staff of the site or of a class. */
  get teaches(): boolean {
    return this.me?.teaches ?? false;
  }

  /** Whether they are a student of a class, who may have assignments. */
  get studies(): boolean {
    return this.me?.studies ?? false;
  }

  get isOrganiser(): boolean {
    return this.user?.role === "organiser";
  }

  /** Asks the server who is logged in; a server without accounts answers with nobody. */
  async load(): Promise<void> {
    this.me = await accounts.me().catch(() => null);
    this.loaded = true;
    this.unread = this.me?.notices ?? 0;
    setCsrf(this.me?.csrf ?? "");
    this.listen();
  }

  async logout(): Promise<void> {
    await accounts.logout();
    await this.load();
  }

  /** Makes an expired login valid again: it may have been renewed in another tab, else the reader
   * is asked. False if they would not, or somebody else has logged in meanwhile. */
  async renewLogin(): Promise<boolean> {
    const now = await accounts.me().catch(() => null);
    if (!now || !this.user) return false;
    if (now.user) {
      if (now.user.id !== this.user.id) return false;
      setCsrf(now.csrf);
      return true;
    }
    this.renewing = true;
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  endRenewal(renewed: boolean): void {
    const waiting = this.waiting;
    this.waiting = [];
    this.renewing = false;
    for (const end of waiting) end(renewed);
  }

  /** Calls back when the check of a version has ended; returns how to stop that. */
  onVersion(receive: (version: VersionInfo) => void): () => void {
    this.listeners.add(receive);
    return () => this.listeners.delete(receive);
  }

  /** Calls back with the page that a new notice leads to; returns how to stop that. */
  onNotice(receive: (link: string) => void): () => void {
    this.noticeListeners.add(receive);
    return () => this.noticeListeners.delete(receive);
  }

  private listen(): void {
    this.socket?.close();
    this.socket = this.user ? new Socket("/ws/me", (message) => this.receive(message)) : null;
  }

  private receive(message: ServerMessage): void {
    if (message.type === "version") {
      for (const listener of this.listeners) listener(message);
    } else if (message.type === "notice") {
      this.unread++;
      toast.show(message.text, message.link);
      for (const listener of this.noticeListeners) listener(message.link);
    }
  }
}

export const account = new Account();
