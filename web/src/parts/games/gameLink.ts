/** The address of a game's page; a game for three (`uno:3`) has the page of the game. */
export function gameLink(game: string, section = ""): string {
  const [name] = game.split(":");
  return `/games/${encodeURIComponent(name)}${section ? `#${section}` : ""}`;
}
