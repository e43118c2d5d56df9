/** Regions that scroll can be focused while they overflow, so that arrow keys scroll them; browsers
 * differ in whether they do that themselves. */
export function focusableScrollers(root: HTMLElement): { destroy(): void } {
  let frame = 0;
  const update = (): void => {
    for (const region of root.querySelectorAll<HTMLElement>(".scroller")) {
      if (region.scrollWidth > region.clientWidth) region.tabIndex = 0;
      else region.removeAttribute("tabindex");
    }
  };
  const schedule = (): void => {
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(update);
  };
  const observer = new MutationObserver(schedule);
  observer.observe(root, { childList: true, characterData: true, subtree: true });
  addEventListener("resize", schedule);
  return {
    destroy(): void {
      cancelAnimationFrame(frame);
      observer.disconnect();
      removeEventListener("resize", schedule);
    },
  };
}
