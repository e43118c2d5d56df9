/** A setting as a field of a form. */

import type { Text } from "../../api/generated";

export interface SettingField {
  name: string;
  title: Text;
  type: "int" | "float" | "bool" | "choice" | "text" | "list" | "order";
  default: unknown;
  low?: number | null;
  high?: number | null;
  choices?: string[] | null;
  /** Choices, and other values that have a name, in words. */
  named?: Record<string, Text>;
  help: Text;
  /** What is said while the field is empty and must not be. */
  needed?: Text;
}
