/** What the browser's tab says: the page may know better than its address. */

class Tab {
  name = $state("");
}

export const tab = new Tab();

/** While the page is shown its tab is called so; an empty name says what the address says. */
export function called(say: () => string): void {
  $effect(() => {
    tab.name = say();
    return () => (tab.name = "");
  });
}
