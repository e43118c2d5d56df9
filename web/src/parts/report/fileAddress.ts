/** The address of a file beside the report; its name contains signs that mean something else there. */
export function fileAddress(path: string): string {
  return path.split("/").map(encodeURIComponent).join("/");
}
