/** What a reader chose: language, colours, animation, skins. Kept in the browser. */

import type { Text } from "./api/generated";
import { dateText } from "./format";

export type Language = "en" | "zh";
export type Theme = "auto" | "light" | "dark";

export function readStored(key: string): string | null {
  try {
    return localStorage.getItem(`ludus.${key}`);
  } catch {
    return null; // private windows and files may forbid it
  }
}

export function store(key: string, value: string): void {
  try {
    localStorage.setItem(`ludus.${key}`, value);
  } catch {
    // then it is forgotten with the page
  }
}

const darkness = matchMedia("(prefers-color-scheme: dark)");
const calmness = matchMedia("(prefers-reduced-motion: reduce)");

class Settings {
  language = $state<Language>(firstLanguage());
  theme = $state<Theme>((readStored("theme") as Theme | null) ?? "auto");
  animate = $state(
    readStored("animate") !== null ? readStored("animate") === "yes" : !calmness.matches,
  );
  /** Whether rooms make sounds. */
  sound = $state(readStored("sound") !== "off");
  speed = $state(Number(readStored("speed")) || 1);
  private systemDark = $state(darkness.matches);
  private skins = $state<Record<string, string>>(JSON.parse(readStored("skins") ?? "{}"));

  constructor() {
    darkness.addEventListener("change", () => {
      this.systemDark = darkness.matches;
      this.apply();
    });
    this.apply();
  }

  get dark(): boolean {
    return this.theme === "dark" || (this.theme === "auto" && this.systemDark);
  }

  setLanguage(language: Language): void {
    this.language = language;
    store("language", language);
    this.apply();
  }

  /** Starts in the language of a file; what the reader chose elsewhere is kept. */
  openIn(language: Language): void {
    this.language = language;
    this.apply();
  }

  setTheme(theme: Theme): void {
    this.theme = theme;
    store("theme", theme);
    this.apply();
  }

  setAnimate(animate: boolean): void {
    this.animate = animate;
    store("animate", animate ? "yes" : "no");
  }

  setSound(sound: boolean): void {
    this.sound = sound;
    store("sound", sound ? "on" : "off");
  }

  setSpeed(speed: number): void {
    this.speed = speed;
    store("speed", String(speed));
  }

  skinOf(game: string): string | undefined {
    return this.skins[game];
  }

  setSkin(game: string, skin: string): void {
    this.skins[game] = skin;
    store("skins", JSON.stringify(this.skins));
  }

  private apply(): void {
    const root = document.documentElement;
    root.lang = this.language === "zh" ? "zh-Hans" : "en";
    root.dataset.theme = this.dark ? "dark" : "light";
  }
}

function firstLanguage(): Language {
  const chosen = readStored("language");
  if (chosen === "en" || chosen === "zh") return chosen;
  return navigator.language.toLowerCase().startsWith("zh") ? "zh" : "en";
}

export const settings = new Settings();

/** The words for the reader. */
export function tr(en: string, zh: string): string {
  return settings.language === "zh" ? zh : en;
}

const UTC_TIME = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g;

/** A text in both languages, for the reader: the server writes times in UTC, as databases keep
 * them. */
export function localize(text: Text | null | undefined): string {
  const said = text ? text[settings.language] || text.en : "";
  return said.replace(UTC_TIME, (time) => dateText(time, settings.language));
}

/** What the server says of a problem, as a sentence of its own. */
export function sentence(text: Text | null | undefined): string {
  const said = localize(text);
  return said.charAt(0).toUpperCase() + said.slice(1);
}
