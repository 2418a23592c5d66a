/** What a task is: an alphabet, inputs and their true answers, on a tape; src/neuralgpu/tasks/task.py in TypeScript. */

import { UserError } from "../errors";
import { randomSymbols, stressSequences } from "./stress";
import { cellsFor, PAD, type Tape, type TapeConfig } from "./tape";

/** A number in [0, 1), such as Math.random gives. */
export type Random = () => number;

/** The symbols of a task in their order on a tape: the characters of a text, or words with spaces between them. */
export type Alphabet = string | readonly string[];

export abstract class Task {
  abstract readonly name: string;
  abstract readonly alphabet: Alphabet;
  abstract readonly example: string;
  /** What a task's size counts. */
  readonly unit: string = "symbols";
  /** Whether the page knows what the task is, and so its true answers. */
  readonly isKnown: boolean = true;

  private distinct: readonly string[] | null = null;

  constructor(readonly tape: TapeConfig) {}

  /** The true answer; null where it is not known. */
  abstract answer(text: string): string | null;

  /** The size of an input; a UserError says what is wrong with a text that is no input. */
  size(text: string): number {
    this.checkSymbols(text);
    return this.split(text).length;
  }

  /** The symbols of an input of this size. */
  inputSymbols(size: number): number {
    return size;
  }

  random(size: number, random: Random): string {
    return this.join(randomSymbols(this.characters, size, random));
  }

  /** Inputs that random ones hardly ever are, by name. */
  stress(size: number, random: Random): Map<string, string> {
    const sequences = stressSequences(this.characters, size, random);
    return new Map(Array.from(sequences, ([name, symbols]) => [name, this.join(symbols)]));
  }

  /** The input and an answer in everyday notation, where there is one. */
  explain(_text: string, _answer: string): string | null {
    return null;
  }

  /** A valid input close to a text that is none, where there is an obvious one. */
  mend(_text: string): string | null {
    return null;
  }

  /** The number of different symbols, PAD included. */
  get symbols(): number {
    return this.characters.length + 1;
  }

  /** n, the cells of the tape for inputs of this size. */
  length(size: number): number {
    return cellsFor(this.tape, this.inputSymbols(size));
  }

  encode(text: string): Tape {
    return this.write(text, this.length(this.size(text)), PAD);
  }

  /** The tape that a network should leave; null where the answer is not known. */
  encodeAnswer(text: string): Tape | null {
    const [answer, cells] = [this.answer(text), this.length(this.size(text))];
    if (answer === null) return null;
    const symbols = this.split(answer).length;
    if (symbols > cells) {
      throw new UserError(
        `the answer of ${this.name} to '${text}' has ${symbols} symbols and the tape ${cells} cells; ` +
          "the network needs a longer tape",
      );
    }
    const { fill } = this.tape;
    return this.write(answer, cells, fill === null ? PAD : this.characters.indexOf(fill) + 1);
  }

  /** The answer on a tape: its text without what fills the tape; of nothing but fill, one symbol is left. */
  read(tape: Tape): string {
    const { fill } = this.tape;
    const filler = fill === null ? PAD : this.characters.indexOf(fill) + 1;
    let end = tape.length;
    while (end && (tape[end - 1] === PAD || tape[end - 1] === filler)) end--;
    const empty = this.hasWords ? "" : " ";
    const read = Array.from(tape.subarray(0, end), (symbol) => (symbol === PAD ? empty : this.character(symbol)));
    return end ? this.join(read) : (fill ?? "");
  }

  /** A symbol as text; PAD is a space. */
  character(symbol: number): string {
    return symbol === PAD ? " " : (this.characters[symbol - 1] ?? "?");
  }

  /** The alphabet symbol by symbol, however many units of UTF-16 each takes. */
  protected get characters(): readonly string[] {
    this.distinct ??= Array.from(this.alphabet);
    return this.distinct;
  }

  /** The symbols of a text. */
  split(text: string): readonly string[] {
    return this.hasWords ? text.split(/\s+/).filter((word) => word !== "") : Array.from(text);
  }

  protected join(symbols: readonly string[]): string {
    return symbols.join(this.hasWords ? " " : "");
  }

  private get hasWords(): boolean {
    return typeof this.alphabet !== "string";
  }

  protected checkSymbols(text: string): void {
    const [symbols, { characters }] = [this.split(text), this];
    if (!symbols.length) throw new UserError(`the input is empty; ${this.name} takes text like '${this.example}'`);
    const position = symbols.findIndex((symbol) => !characters.includes(symbol));
    if (position >= 0) {
      throw new UserError(
        `symbol '${symbols[position]}' at position ${position} is not in the alphabet of ${this.name}: ` +
          characters.join(" "),
      );
    }
  }

  private write(text: string, cells: number, filler: number): Tape {
    const { characters } = this;
    const tape = new Uint8Array(cells).fill(filler);
    tape.set(this.split(text).map((symbol) => characters.indexOf(symbol) + 1));
    return tape;
  }
}
