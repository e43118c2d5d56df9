/** Who takes files that are dropped on the page: records are opened, unless a page wants them. */

import { untrack } from "svelte";
import type { Text } from "../api/types";
import type { Chosen } from "./chosenFiles";
import { opener } from "./recordOpener.svelte";

export interface Taker {
  /** What is said while files hover over the page. */
  invitation: Text;
  take: (files: Chosen[]) => void;
}

const RECORDS: Taker = {
  invitation: {
    en: "Drop records or a whole folder: Ludus, 2048, Eraser, paper.io",
    zh: "松开以打开录像或整个文件夹：弈场、2048、Eraser、纸带圈地",
  },
  take: (files) => void opener.open(files),
};

class Drops {
  private takers = $state.raw<Taker[]>([]);

  get taker(): Taker {
    return this.takers.at(-1) ?? RECORDS;
  }

  /** From now on files go there; returns how to end that. */
  take(taker: Taker): () => void {
    this.takers = [...untrack(() => this.takers), taker];
    return () => (this.takers = this.takers.filter((one) => one !== taker));
  }
}

export const drops = new Drops();
