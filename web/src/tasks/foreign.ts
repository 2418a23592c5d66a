/** A task that this page does not know: a network for it can be run, and nothing else is known about it. */

import type { TapeConfig } from "./tape";
import { type Alphabet, Task } from "./task";

const EXAMPLE_LENGTH = 8;

export class ForeignTask extends Task {
  readonly example: string;
  override readonly isKnown = false;

  constructor(
    readonly name: string,
    readonly alphabet: Alphabet,
    tape: TapeConfig,
  ) {
    super(tape);
    this.example = this.join(this.characters.slice(0, EXAMPLE_LENGTH));
  }

  answer(text: string): null {
    this.checkSymbols(text);
    return null;
  }
}
