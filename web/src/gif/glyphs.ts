/** Symbols as pictures of three by five squares, or of as many pixels where the browser's own letters have to do. */

import { context2d } from "../view/dom";

export const GLYPH_WIDTH = 3;
export const GLYPH_HEIGHT = 5;

/** A byte for each pixel, row by row, that is not 0 where the symbol is. */
export type Glyph = Uint8Array;

/** A letter of the browser's needs squares of at least so many pixels. */
const LEAST_LETTER = 2;
const HALF_COVERED = 128;

/** Rows of three bits from the top, for the symbols of the tasks that the page knows and, as a space, for PAD. */
const SQUARES: ReadonlyMap<string, readonly number[]> = new Map([
  ["0", [7, 5, 5, 5, 7]],
  ["1", [2, 6, 2, 2, 7]],
  ["2", [7, 1, 7, 4, 7]],
  ["3", [7, 1, 7, 1, 7]],
  ["4", [5, 5, 7, 1, 1]],
  ["5", [7, 4, 7, 1, 7]],
  ["6", [7, 4, 7, 5, 7]],
  ["7", [7, 1, 1, 2, 2]],
  ["8", [7, 5, 7, 5, 7]],
  ["9", [7, 5, 7, 1, 7]],
  ["+", [0, 2, 7, 2, 0]],
  ["*", [0, 5, 2, 5, 0]],
  [" ", [0, 0, 2, 0, 0]],
]);

/** The picture of a symbol in squares of so many pixels; null where they are too few for it. */
export function glyph(character: string, size: number): Glyph | null {
  const rows = SQUARES.get(character);
  if (rows && size > 0) return scaled(rows, size);
  return size >= LEAST_LETTER ? letter(character, size) : null;
}

function scaled(rows: readonly number[], size: number): Glyph {
  const width = GLYPH_WIDTH * size;
  const isSet = (x: number, y: number) => rows[Math.floor(y / size)] & (4 >> Math.floor(x / size));
  return Uint8Array.from({ length: width * GLYPH_HEIGHT * size }, (_, i) => isSet(i % width, Math.floor(i / width)));
}

function letter(character: string, size: number): Glyph {
  const canvas = document.createElement("canvas");
  const [width, height] = [GLYPH_WIDTH * size, GLYPH_HEIGHT * size];
  canvas.width = width;
  canvas.height = height;
  const context = context2d(canvas);
  context.font = `bold ${height}px ui-monospace, monospace`;
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.fillText(character, width / 2, height / 2, width);
  const { data } = context.getImageData(0, 0, width, height);
  return Uint8Array.from({ length: width * height }, (_, i) => (data[4 * i + 3] >= HALF_COVERED ? 1 : 0));
}
