import svelte from "eslint-plugin-svelte";
import { configs, parser } from "typescript-eslint";
import svelteConfig from "./svelte.config.js";

export default [
  { ignores: [".svelte-check/"] }, // what svelte-check keeps between runs
  ...configs.recommended,
  ...svelte.configs.recommended,
  {
    files: ["**/*.svelte", "**/*.svelte.ts"],
    languageOptions: { parserOptions: { parser, svelteConfig } },
  },
  {
    rules: {
      // TypeScript itself reports these.
      "@typescript-eslint/no-unused-vars": "off",
      // It compiles every component once more, as svelte-check does.
      "svelte/no-unused-svelte-ignore": "off",
      // Maps and Sets are local to a function or replaced as a whole, never changed as state.
      "svelte/prefer-svelte-reactivity": "off",
      // Most lists are constants or replaced as a whole, and a key that occurs twice throws.
      "svelte/require-each-key": "off",
      // {" · "} keeps the spaces that Svelte would trim at the edge of an element.
      "svelte/no-useless-mustaches": "off",
    },
  },
];
