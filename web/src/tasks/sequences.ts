/** Rearranging a sequence of bits: copy, reverse, duplicate and sort. */

import type { TapeConfig } from "./tape";
import { Task } from "./task";

type Rearrange = (symbols: string[]) => string[];

export class Rearrangement extends Task {
  readonly alphabet = "01";
  readonly example = "0011";

  constructor(
    readonly name: string,
    private readonly rearrange: Rearrange,
    tape: TapeConfig,
  ) {
    super(tape);
  }

  answer(text: string): string {
    this.size(text);
    return this.rearrange(Array.from(text)).join("");
  }
}
