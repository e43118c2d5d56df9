/** Brings the current link of a row into sight. Only the row scrolls, never the page. */
export function scrollToCurrent(row: HTMLElement): void {
  const current = row.querySelector("[aria-current]")?.getBoundingClientRect();
  if (!current) return;
  const { left, width } = row.getBoundingClientRect();
  row.scrollLeft += current.left - left - (width - current.width) / 2;
}
