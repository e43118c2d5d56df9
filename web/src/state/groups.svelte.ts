/** The classes that I know of, asked for once. */

import { account } from "./account.svelte";
import { accounts } from "../api/api";
import type { GroupInfo } from "../api/generated";

class Groups {
  list = $state.raw<GroupInfo[]>([]);
  private asked = false;

  name(id: number | null): string {
    if (id === null) return "";
    if (account.user && !this.asked) this.load();
    return this.list.find((group) => group.id === id)?.name ?? "";
  }

  private load(): void {
    this.asked = true;
    accounts
      .groups()
      .then((list) => (this.list = list))
      .catch(() => {});
  }
}

export const groups = new Groups();
