/** A run: an input, and every state that has been computed of it so far. */

import { cellShape, type Network, stepsFor } from "../network/network";
import type { Tape } from "../tasks/tape";

export class Run {
  readonly tape: Tape;
  /** What the network should leave on the tape; null where that is not known. */
  readonly target: Tape | null;
  /** The number of steps, which follows from the number of cells and may differ from it. */
  readonly steps: number;
  readonly width: number;
  readonly maps: number;
  readonly states: Float32Array[] = [];
  /** The symbols that would be read from each state. */
  readonly outputs: Tape[] = [];
  /** The steps whose state was changed by hand. */
  readonly edits = new Set<number>();
  /** Changes when states that were there are replaced. */
  revision = 0;

  constructor(
    readonly network: Network,
    readonly text: string,
  ) {
    this.tape = network.task.encode(text);
    this.target = network.task.encodeAnswer(text);
    this.steps = stepsFor(network.config.steps, this.tape.length);
    const { width, maps } = cellShape(network.config);
    this.width = width;
    this.maps = maps;
  }

  /** The number of cells. */
  get n(): number {
    return this.tape.length;
  }

  /** The last step that is computed; -1 before the first state. */
  get known(): number {
    return this.states.length - 1;
  }

  get finished(): boolean {
    return this.known === this.steps;
  }

  /** The value of a map in a cell, column by column of the mental image. */
  value(step: number, cell: number, column: number, map: number): number {
    return this.states[step][this.index(cell, column, map)];
  }

  index(cell: number, column: number, map: number): number {
    return (cell * this.width + column) * this.maps + map;
  }

  /** Whether the symbol of a cell is not the true one; never where that is not known. */
  isWrong(step: number, cell: number): boolean {
    return this.target !== null && this.outputs[step][cell] !== this.target[cell];
  }

  /** The number of cells whose symbol is not the true one. */
  wrongCells(step: number): number {
    return this.tape.reduce((count, _, cell) => count + (this.isWrong(step, cell) ? 1 : 0), 0);
  }

  add(step: number, state: Float32Array, symbols: Tape): void {
    this.states[step] = state;
    this.outputs[step] = symbols;
  }

  /** Forget the states from a step on. */
  forgetFrom(step: number): void {
    this.revision++;
    this.states.length = Math.min(this.states.length, step);
    this.outputs.length = this.states.length;
  }
}
