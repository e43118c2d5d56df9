import type { ContestEntrant } from "../../api/generated";

/** Whose bot an entrant is, where its own name does not tell. */
export function ownerText({ name, owner, house }: ContestEntrant): string {
  const found = owner && !house ? owner.shown || owner.name : "";
  return found === name ? "" : found;
}
