/** Presses of people in a hurry: at once where a move is meant, and only on purpose elsewhere. */

interface PressHandlers {
  onpointerdown: (event: PointerEvent) => void;
  onclick: (event: MouseEvent) => void;
}

/** Acts as soon as the pointer goes down. A click without a pointer comes from a keyboard or a
 * screen reader. */
export function atOnce(act: () => void): PressHandlers {
  return {
    onpointerdown: (event) => {
      if (event.button !== 0) return;
      event.preventDefault();
      act();
    },
    onclick: (event) => {
      if (event.detail === 0) act();
    },
  };
}

function buttonAt(target: EventTarget | null): Element | null {
  return target instanceof Element ? target.closest("button, a") : null;
}

/** Lets a click reach a button only if the pointer went down on that button, too: what slid under
 * a finger was not meant. */
export function deliberate(part: HTMLElement): { destroy: () => void } {
  let pressed: Element | null = null;
  const down = (event: Event): void => {
    pressed = buttonAt(event.target);
  };
  const click = (event: MouseEvent): void => {
    if (event.detail === 0 || buttonAt(event.target) === pressed) return;
    event.preventDefault();
    event.stopPropagation();
  };
  window.addEventListener("pointerdown", down, true);
  part.addEventListener("click", click, true);
  return {
    destroy: () => {
      window.removeEventListener("pointerdown", down, true);
      part.removeEventListener("click", click, true);
    },
  };
}
