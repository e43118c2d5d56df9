/** A setting as a field of a form. */

import type { Text } from "../../api/generated";

export interface SettingField {
  name: string;
  title: Text;
  type: "int" | "float" | "bool" | "choice" | "text" | "list";
  default: unknown;
  low?: number | null;
  high?: number | null;
  choices?: string[] | null;
  /** The choices in words. */
  named?: Record<string, Text>;
  help: Text;
}
