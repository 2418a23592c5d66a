/** The tape: how many cells an input has, and what fills the cells that hold nothing of it. */

/** The symbol of a cell that holds nothing; the others are 1, 2, ... in the order of the task's alphabet. */
export const PAD = 0;

/** The symbol of every cell. */
export type Tape = Uint8Array;

/** How long a tape is, and what follows an answer on it. */
export interface TapeConfig {
  /** Cells for each symbol of the input; a fraction of a cell counts as a whole one. */
  readonly perSymbol: number;
  /** Cells besides these. */
  readonly extra: number;
  /** The symbol that follows an answer to the end of the tape; null is PAD. */
  readonly fill: string | null;
}

/** The cells of a tape for an input of so many symbols. */
export function cellsFor({ perSymbol, extra }: TapeConfig, symbols: number): number {
  return Math.ceil(perSymbol * symbols) + extra;
}
