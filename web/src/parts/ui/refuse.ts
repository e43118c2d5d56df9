/** For fields of a form: it is not sent while a field is refused with a sentence, and the browser
 * says that sentence instead of its own. */
export function refuse(node: HTMLInputElement, why: string): { update: (why: string) => void } {
  node.setCustomValidity(why);
  return { update: (now) => node.setCustomValidity(now) };
}
