/** What the browser's tab says: the page may know better than its address. */

class PageTitle {
  name = $state("");
}

export const pageTitle = new PageTitle();

/** While the page is shown its tab is called so; an empty name says what the address says. */
export function setPageTitle(text: () => string): void {
  $effect(() => {
    pageTitle.name = text();
    return () => (pageTitle.name = "");
  });
}
