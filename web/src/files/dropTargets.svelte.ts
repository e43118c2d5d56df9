/** Who takes files that are dropped on the page: records are opened, unless a page wants them. */

import { untrack } from "svelte";
import type { Text } from "../api/generated";
import type { ChosenFile } from "./chosenFiles";
import { recordOpener } from "./recordOpener.svelte";

export interface DropTarget {
  /** What is said while files hover over the page. */
  invitation: Text;
  accept: (files: ChosenFile[]) => void;
}

const RECORDS: DropTarget = {
  invitation: {
    en: "Drop records or a whole folder: Ludus, Duel 2048, Eraser, Paper.io",
    zh: "松开以打开录像或整个文件夹：弈场、贰零肆捌、星际消战、纸带圈地",
  },
  accept: (files) => void recordOpener.open(files),
};

class DropTargets {
  private targets = $state.raw<DropTarget[]>([]);

  get current(): DropTarget {
    return this.targets.at(-1) ?? RECORDS;
  }

  /** From now on files go there; returns how to end that. */
  add(target: DropTarget): () => void {
    this.targets = [...untrack(() => this.targets), target];
    return () => (this.targets = this.targets.filter((one) => one !== target));
  }
}

export const dropTargets = new DropTargets();
