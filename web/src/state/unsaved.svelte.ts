/** A question before the reader leaves work that is not saved. */

import { router } from "../router.svelte";
import { openQuestion } from "./question.svelte";

const LEAVE = {
  title: { en: "Leave without saving?", zh: "不保存就离开吗？" },
  text: {
    en: "Your changes stay in this browser as a draft, and you get them back here.",
    zh: "你的修改会作为草稿留在这个浏览器里，回到这里时可以接着写。",
  },
  yes: { en: "Leave", zh: "离开" },
  no: { en: "Stay here", zh: "留在这里" },
};

/** Asks before another page is shown, and has the browser ask before it closes the page. Call it
 * while a component is made; `stays` tells addresses that show the same work. */
export function guardUnsaved(
  unsaved: () => boolean,
  stays: (to: URL) => boolean = () => false,
): void {
  $effect(() =>
    router.guard({
      blocks: (to) => unsaved() && !stays(to),
      ask: () => openQuestion.ask(LEAVE),
    }),
  );
  $effect(() => {
    const warn = (event: BeforeUnloadEvent) => unsaved() && event.preventDefault();
    addEventListener("beforeunload", warn);
    return () => removeEventListener("beforeunload", warn);
  });
}
