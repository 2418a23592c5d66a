/** The small bar that shows which colour stands for which number. */

import { context2d } from "./dom";
import { shades, type Theme } from "./palette";

export function drawScale(canvas: HTMLCanvasElement, theme: Theme): void {
  const table = shades(theme);
  const image = new ImageData(canvas.width, canvas.height);
  const target = new Uint32Array(image.data.buffer);
  for (let i = 0; i < target.length; i++) {
    target[i] = table[Math.floor(((i % canvas.width) / canvas.width) * table.length)];
  }
  context2d(canvas).putImageData(image, 0, 0);
}
