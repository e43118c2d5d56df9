/** A question that must be answered before the page goes on. */

import type { Text } from "../api/generated";

export interface Question {
  title: Text;
  text: Text;
  yes: Text;
  no: Text;
}

class OpenQuestion {
  current = $state.raw<Question | null>(null);
  private answers: ((yes: boolean) => void)[] = [];

  /** Shows a question; whether the reader said yes. While one is shown, no other is. */
  ask(question: Question): Promise<boolean> {
    this.current ??= question;
    return new Promise((resolve) => this.answers.push(resolve));
  }

  answer(yes: boolean): void {
    const waiting = this.answers;
    this.answers = [];
    this.current = null;
    for (const answer of waiting) answer(yes);
  }
}

export const openQuestion = new OpenQuestion();
