/** The move that a person has typed. */

/** The only allowed move that is written so apart from dashes, spaces and capitals; else the text as
 * it was typed, about which the server can say more. */
export function readTyped(text: string, legal: readonly string[]): string {
  const typed = text.trim();
  if (legal.includes(typed)) return typed;
  const meant = legal.filter((move) => bare(move) === bare(typed));
  return meant.length === 1 ? meant[0] : typed;
}

const bare = (move: string): string => move.toLowerCase().replace(/[\s\-–—−→>，,]+/g, "");
