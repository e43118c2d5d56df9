/** What a reader chose: language, colours, animation, skins. Kept in the browser. */

import type { Text } from "./api/types";

export type Language = "en" | "zh";
export type Theme = "auto" | "light" | "dark";

function kept(key: string): string | null {
  try {
    return localStorage.getItem(`ludus.${key}`);
  } catch {
    return null; // private windows and files may forbid it
  }
}

function keep(key: string, value: string): void {
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
  theme = $state<Theme>((kept("theme") as Theme | null) ?? "auto");
  animate = $state(kept("animate") !== null ? kept("animate") === "yes" : !calmness.matches);
  speed = $state(Number(kept("speed")) || 1);
  private systemDark = $state(darkness.matches);
  private skins = $state<Record<string, string>>(JSON.parse(kept("skins") ?? "{}"));

  constructor() {
    darkness.addEventListener("change", () => (this.systemDark = darkness.matches));
    this.show();
  }

  get dark(): boolean {
    return this.theme === "dark" || (this.theme === "auto" && this.systemDark);
  }

  setLanguage(language: Language): void {
    this.language = language;
    keep("language", language);
    this.show();
  }

  setTheme(theme: Theme): void {
    this.theme = theme;
    keep("theme", theme);
    this.show();
  }

  setAnimate(animate: boolean): void {
    this.animate = animate;
    keep("animate", animate ? "yes" : "no");
  }

  setSpeed(speed: number): void {
    this.speed = speed;
    keep("speed", String(speed));
  }

  skinOf(game: string): string | undefined {
    return this.skins[game];
  }

  setSkin(game: string, skin: string): void {
    this.skins[game] = skin;
    keep("skins", JSON.stringify(this.skins));
  }

  private show(): void {
    const root = document.documentElement;
    root.lang = this.language === "zh" ? "zh-Hans" : "en";
    root.dataset.theme = this.theme;
  }
}

function firstLanguage(): Language {
  const chosen = kept("language");
  if (chosen === "en" || chosen === "zh") return chosen;
  return navigator.language.toLowerCase().startsWith("zh") ? "zh" : "en";
}

export const settings = new Settings();

/** The words for the reader. */
export function tr(en: string, zh: string): string {
  return settings.language === "zh" ? zh : en;
}

/** A text in both languages, for the reader. */
export function words(text: Text | null | undefined): string {
  return text ? text[settings.language] || text.en : "";
}

/** What the server says of a problem, as a sentence of its own. */
export function sentence(text: Text | null | undefined): string {
  const said = words(text);
  return said.charAt(0).toUpperCase() + said.slice(1);
}

const SEATS: Record<string, Text> = {
  first: { en: "first", zh: "先手" },
  second: { en: "second", zh: "后手" },
  third: { en: "third", zh: "第三家" },
  fourth: { en: "fourth", zh: "第四家" },
  fifth: { en: "fifth", zh: "第五家" },
  black: { en: "black", zh: "黑方" },
  white: { en: "white", zh: "白方" },
  attackers: { en: "attackers", zh: "进攻方" },
  defenders: { en: "defenders", zh: "防守方" },
};

/** The name of a seat for the reader. */
export function seatName(name: string): string {
  if (SEATS[name]) return words(SEATS[name]);
  const unnamed = /^player (\d+)$/.exec(name);
  return unnamed ? tr(name, `玩家 ${unnamed[1]}`) : name;
}
