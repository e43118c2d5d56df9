/** A bout followed over the network: a film, its news, and the next bout of the match. */

import { Playback } from "../film/playback.svelte";
import type { FilmInfo, ServerMessage, StepMessage, Text } from "./generated";
import { Socket } from "./socket.svelte";

export class BoutStream {
  playback = $state.raw<Playback | null>(null);
  problem = $state.raw<Text | null>(null);
  /** Whether the problem is that the bout cannot go on, unless it is played again. */
  stopped = $state(false);
  /** The bout that follows in this match, once there is one. */
  next = $state<string | null>(null);
  /** The record that the bout has become, once it is over and saved. */
  saved = $state<string | null>(null);
  /** Whether another bout may take the place of the one that is shown. */
  replaceable: () => boolean = () => true;
  /** Another bout has begun here, but a person still looks at this one. */
  replaced = $state(false);
  readonly socket: Socket;

  /** With a delay everything is shown so many milliseconds late; `latest`: a bout that is over
   * already is shown at its end. */
  constructor(
    path: string,
    private readonly firstStep: number | null,
    delay = 0,
    private readonly latest = false,
  ) {
    this.socket = new Socket(path, (message) => {
      if (delay) setTimeout(() => this.receive(message), delay);
      else this.receive(message);
    });
  }

  close(): void {
    this.playback?.pause();
    this.socket.close();
  }

  protected receive(message: ServerMessage): void {
    if (this.replaced) return;
    switch (message.type) {
      case "film":
        this.problem = null;
        this.stopped = false;
        this.replaced = this.isAnotherBout(message.film) && !this.replaceable();
        if (this.replaced) return;
        return this.show(message.film, this.playback === null);
      case "restart":
        this.replaced = !this.replaceable();
        if (this.replaced) return;
        this.saved = null;
        this.stopped = false;
        return this.show(message.film, true);
      case "step":
        return this.step(message);
      case "end":
        return this.playback?.finish(message.end);
      case "next":
        this.next = message.id;
        return;
      case "saved":
        this.saved = message.id;
        return;
      case "gone":
        this.problem = {
          en: "The program running this bout has stopped, so the bout cannot continue.",
          zh: "运行这一局的程序已退出，对局无法继续。",
        };
        return this.socket.close();
      case "error":
        this.problem = message.error;
        this.stopped ||= message.stopped === true;
    }
  }

  /** A film that comes again after a lost connection does not move the viewer. */
  private show(film: FilmInfo, anew: boolean): void {
    const { playback } = this;
    if (!playback) {
      this.playback = new Playback(film, this.firstStep);
      if (this.latest && film.end) this.playback.showLatest();
      return;
    }
    const latest = anew || playback.following;
    playback.load(film, latest ? null : playback.step);
    if (latest && film.end) playback.showLatest();
  }

  /** Whether a demo has gone on to its next bout while the connection was lost. */
  private isAnotherBout(film: FilmInfo): boolean {
    const [shown, sent] = [this.playback?.film.match, film.match];
    return !!shown && !!sent && shown.number !== sent.number;
  }

  private step(message: StepMessage): void {
    const { playback } = this;
    if (!playback || playback.confirm(message.n, message.step)) return;
    playback.withdraw();
    if (message.n === playback.length + 1) playback.add(message.step);
  }
}
