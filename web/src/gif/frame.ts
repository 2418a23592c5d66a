/** A frame of the animation: the tape, the mental image, what is read from it and the progress, as palette numbers. */

import type { Run } from "../run/run";
import { PAD, type Tape } from "../tasks/task";
import { type Rgb, SHADES, shade, shadeIndex, type Theme } from "../view/palette";

const [BACKGROUND, INK, MUTED, WRONG, FIRST_SHADE] = [0, 1, 2, 3, 4];
const MARGIN = 8;
const GLYPH_WIDTH = 3;
const GLYPH_HEIGHT = 5;

/** Rows of three bits from the top, for the symbols that any task has. */
const GLYPHS: Record<string, readonly number[]> = {
  "0": [7, 5, 5, 5, 7],
  "1": [2, 6, 2, 2, 7],
  "2": [7, 1, 7, 4, 7],
  "3": [7, 1, 7, 1, 7],
  "4": [5, 5, 7, 1, 1],
  "5": [7, 4, 7, 1, 7],
  "6": [7, 4, 7, 5, 7],
  "7": [7, 1, 1, 2, 2],
  "8": [7, 5, 7, 5, 7],
  "9": [7, 5, 7, 1, 7],
  "+": [0, 2, 7, 2, 0],
  "*": [0, 5, 2, 5, 0],
};

export function gifPalette(theme: Theme): Rgb[] {
  const chrome: Rgb[] =
    theme === "light"
      ? [
          [255, 255, 255],
          [29, 33, 41],
          [190, 190, 196],
          [200, 30, 60],
        ]
      : [
          [16, 18, 22],
          [232, 234, 238],
          [84, 88, 98],
          [255, 96, 120],
        ];
  return [...chrome, ...Array.from({ length: SHADES }, (_, i) => shade(theme, i))];
}

export class FramePainter {
  readonly width: number;
  readonly height: number;
  private readonly cellWidth: number;
  private readonly rowHeight: number;
  private readonly glyph: number;
  private readonly symbolRow: number;
  private readonly pixels: Uint8Array;

  constructor(
    private readonly run: Run,
    private readonly maps: readonly number[],
  ) {
    this.cellWidth = clamp(Math.floor(640 / run.n), 1, 16);
    this.rowHeight = clamp(Math.floor(400 / (maps.length * run.width)), 1, 16);
    this.glyph = Math.floor(this.cellWidth / (GLYPH_WIDTH + 1));
    this.symbolRow = this.glyph ? this.glyph * GLYPH_HEIGHT : 6;
    this.width = 2 * MARGIN + run.n * this.cellWidth;
    this.height = 4 * MARGIN + 2 * this.symbolRow + this.imageHeight + 4;
    this.pixels = new Uint8Array(this.width * this.height);
  }

  /** The picture of a step; the array is used again for the next one. */
  paint(step: number): Uint8Array {
    this.pixels.fill(BACKGROUND);
    this.paintSymbols(this.run.tape, MARGIN);
    this.paintImage(step, 2 * MARGIN + this.symbolRow);
    this.paintSymbols(this.run.outputs[step], 3 * MARGIN + this.symbolRow + this.imageHeight, this.run.target);
    const done = Math.round(((this.width - 2 * MARGIN) * step) / this.run.steps);
    this.rectangle(MARGIN, this.height - MARGIN, this.width - 2 * MARGIN, 2, MUTED);
    this.rectangle(MARGIN, this.height - MARGIN, done, 2, INK);
    return this.pixels;
  }

  /** Strips of maps, with a line between those of more than one row. */
  private get imageHeight(): number {
    return this.maps.length * (this.run.width * this.rowHeight + this.gap) - this.gap;
  }

  private get gap(): number {
    return this.run.width > 1 ? 2 : 0;
  }

  private paintImage(step: number, top: number): void {
    const { run, cellWidth, rowHeight } = this;
    this.maps.forEach((map, i) => {
      for (let column = 0; column < run.width; column++) {
        const y = top + i * (run.width * rowHeight + this.gap) + column * rowHeight;
        for (let cell = 0; cell < run.n; cell++) {
          const shade = FIRST_SHADE + shadeIndex(run.value(step, cell, column, map));
          this.rectangle(MARGIN + cell * cellWidth, y, cellWidth, rowHeight, shade);
        }
      }
    });
  }

  private paintSymbols(tape: Tape, y: number, truth?: Tape): void {
    for (let cell = 0; cell < tape.length; cell++) {
      const wrong = truth !== undefined && truth[cell] !== tape[cell];
      const x = MARGIN + cell * this.cellWidth;
      const colour = wrong ? WRONG : tape[cell] === PAD ? MUTED : INK;
      if (this.glyph) {
        this.paintGlyph(this.run.network.task.character(tape[cell]), x, y, colour);
      } else if (wrong || tape[cell] !== PAD) {
        const height = wrong
          ? this.symbolRow
          : Math.ceil((this.symbolRow * tape[cell]) / this.run.network.task.alphabet.length);
        this.rectangle(x, y + this.symbolRow - height, this.cellWidth, height, colour);
      }
    }
  }

  private paintGlyph(character: string, x: number, y: number, colour: number): void {
    const size = this.glyph;
    const left = x + Math.floor((this.cellWidth - GLYPH_WIDTH * size) / 2);
    const rows = GLYPHS[character] ?? [0, 0, 2, 0, 0];
    rows.forEach((bits, row) => {
      for (let k = 0; k < GLYPH_WIDTH; k++) {
        if (bits & (4 >> k)) this.rectangle(left + k * size, y + row * size, size, size, colour);
      }
    });
  }

  private rectangle(x: number, y: number, width: number, height: number, colour: number): void {
    for (let row = y; row < y + height; row++) {
      this.pixels.fill(colour, row * this.width + x, row * this.width + x + width);
    }
  }
}

function clamp(value: number, least: number, most: number): number {
  return Math.max(least, Math.min(most, value));
}
