/** Addresses of earlier versions, which old notices and bookmarks still hold. */

/** The beginning of an old address, and what it is now. */
const REDIRECTS: [string, string][] = [
  ["/trials/", "/challenges/"],
  ["/desk", "/admin"],
];

/** The address at which a page is found today. */
export function currentAddress(path: string): string {
  const redirect = REDIRECTS.find(([old]) => path.startsWith(old));
  return redirect ? redirect[1] + path.slice(redirect[0].length) : path;
}
