/** Times between the server (ISO, UTC) and fields of a form (local, to the minute). */

export function toField(iso: string | null | undefined): string {
  if (!iso) return "";
  const date = new Date(iso);
  const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16);
}

export function fromField(text: string): string | null {
  return text ? new Date(text).toISOString() : null;
}
