/** A frame of the animation: the tape, the mental image, what is read from it and the progress, as palette numbers. */

import type { Run } from "../run/run";
import { PAD, type Tape } from "../tasks/tape";
import { type Rgb, SHADES, shade, shadeIndex, type Theme } from "../view/palette";
import { GLYPH_HEIGHT, GLYPH_WIDTH, type Glyph, glyph } from "./glyphs";

const [BACKGROUND, INK, MUTED, WRONG, FIRST_SHADE] = [0, 1, 2, 3, 4];
const MARGIN = 8;

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
  /** Pixels of a square of which glyphs are made. */
  private readonly glyph: number;
  /** The picture of each symbol, PAD first. */
  private readonly glyphs: readonly (Glyph | null)[];
  private readonly symbolRow: number;
  private readonly pixels: Uint8Array;

  constructor(
    private readonly run: Run,
    private readonly maps: readonly number[],
  ) {
    this.cellWidth = clamp(Math.floor(640 / run.n), 1, 16);
    this.rowHeight = clamp(Math.floor(400 / (maps.length * run.width)), 1, 16);
    this.glyph = Math.floor(this.cellWidth / (GLYPH_WIDTH + 1));
    const { task } = run.network;
    this.glyphs = Array.from({ length: task.symbols }, (_, symbol) => glyph(task.character(symbol), this.glyph));
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
    const isWrong = (cell: number) => this.run.isWrong(step, cell);
    this.paintSymbols(this.run.outputs[step], 3 * MARGIN + this.symbolRow + this.imageHeight, isWrong);
    const done = Math.round(((this.width - 2 * MARGIN) * step) / Math.max(1, this.run.steps));
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

  private paintSymbols(tape: Tape, y: number, isWrong: (cell: number) => boolean = () => false): void {
    for (let cell = 0; cell < tape.length; cell++) {
      const [symbol, x] = [tape[cell], MARGIN + cell * this.cellWidth];
      const colour = isWrong(cell) ? WRONG : symbol === PAD ? MUTED : INK;
      const picture = this.glyphs[symbol];
      if (picture) this.paintGlyph(picture, x, y, colour);
      else this.paintTick(symbol, x, y, colour);
    }
  }

  private paintGlyph(picture: Glyph, x: number, y: number, colour: number): void {
    const width = GLYPH_WIDTH * this.glyph;
    const left = x + Math.floor((this.cellWidth - width) / 2);
    picture.forEach((isSet, i) => {
      if (isSet) this.pixels[(y + Math.floor(i / width)) * this.width + left + (i % width)] = colour;
    });
  }

  /** A symbol that there is no room for: the higher it is in the alphabet, the taller its tick; one that is wrong is full. */
  private paintTick(symbol: number, x: number, y: number, colour: number): void {
    const share = colour === WRONG ? 1 : symbol / (this.run.network.task.symbols - 1);
    const height = Math.ceil(this.symbolRow * share);
    this.rectangle(x, y + this.symbolRow - height, this.cellWidth, height, colour);
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
