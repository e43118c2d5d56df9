/** The addresses of codes that are given to people: they stand where no server reads them. */

import { shareOrigin } from "../../shareAddress";

/** Where somebody chooses a name and a password for an account that was made for them. */
export function loginLink(code: string): string {
  return `${shareOrigin()}/activate#code=${code}`;
}

/** Where somebody who has forgotten their password chooses a new one. */
export function resetLink(code: string): string {
  return `${shareOrigin()}/login#code=${code}`;
}
