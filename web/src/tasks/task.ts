/** What a task is: an alphabet, a tape layout and the true answer; src/neuralgpu/tasks/task.py in TypeScript. */

import { UserError } from "../errors";

/** The symbol of a cell that holds nothing; the others are 1, 2, ... in the order of the task's alphabet. */
export const PAD = 0;

export type Tape = Uint8Array;
/** A number in [0, 1), such as Math.random gives. */
export type Random = () => number;

export interface Layout {
  /** Empty cells at the end of the tape, each of which gives the network one more step. */
  readonly slack: number;
  /** More such cells: so many for each cell of the input and its answer. */
  readonly stretch: number;
  /** A number is followed by zeros to the end of the tape, not by PAD. */
  readonly zeroFill: boolean;
}

export abstract class Task {
  abstract readonly name: string;
  abstract readonly alphabet: string;
  /** What a task's size counts. */
  abstract readonly unit: string;
  abstract readonly example: string;

  constructor(readonly layout: Layout) {}

  /** The cells that an input of this size and its answer take. */
  abstract extent(size: number): number;
  /** The size of an input; a UserError says what is wrong with a text that is no input. */
  abstract size(text: string): number;
  /** The true answer. */
  abstract answer(text: string): string;
  abstract random(size: number, random: Random): string;
  /** Inputs that random ones hardly ever are, by name. */
  abstract stress(size: number, random: Random): Map<string, string>;

  /** The input and an answer in everyday notation, where there is one. */
  explain(_text: string, _answer: string): string | null {
    return null;
  }

  /** A valid input close to a text that is none, where there is an obvious one. */
  mend(_text: string): string | null {
    return null;
  }

  /** The symbol that follows an answer to the end of the tape. */
  get filler(): number {
    return PAD;
  }

  get symbols(): number {
    return this.alphabet.length + 1;
  }

  /** n, the cells of the tape for inputs of this size. */
  length(size: number): number {
    const extent = this.extent(size);
    return extent + this.layout.slack + Math.floor(extent * this.layout.stretch);
  }

  encode(text: string): Tape {
    return this.tape(text, this.length(this.size(text)), PAD);
  }

  /** The tape that a network should leave. */
  encodeAnswer(text: string): Tape {
    return this.tape(this.answer(text), this.length(this.size(text)), this.filler);
  }

  /** The answer on a tape: its text without what fills the tape. */
  read(tape: Tape): string {
    return Array.from(tape, (symbol) => this.character(symbol))
      .join("")
      .trimEnd();
  }

  /** A symbol as text; PAD is a space. */
  character(symbol: number): string {
    return ` ${this.alphabet}`[symbol] ?? "?";
  }

  protected checkSymbols(text: string): void {
    if (!text) throw new UserError(`the input is empty; ${this.name} takes text like '${this.example}'`);
    const position = Array.from(text).findIndex((symbol) => !this.alphabet.includes(symbol));
    if (position >= 0) {
      throw new UserError(
        `symbol '${Array.from(text)[position]}' at position ${position} is not in the alphabet of ${this.name}: ` +
          Array.from(this.alphabet).join(" "),
      );
    }
  }

  private tape(text: string, length: number, filler: number): Tape {
    const tape = new Uint8Array(length).fill(filler);
    tape.set(Array.from(text, (symbol) => this.alphabet.indexOf(symbol) + 1));
    return tape;
  }
}
