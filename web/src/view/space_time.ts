/** The space-time view: time downwards, cells across, in one map or in the first three as red, green and blue. */

import type { Run } from "../run/run";
import { context2d, resized } from "./dom";
import { mixed, shadeIndex, shades, type Theme } from "./palette";
import { colour } from "./theme";

/** A map, or the first three as colours. */
export type Colouring = number | "three";

const MOST_CELL = 14;
/** The height of a picture with many more steps than cells, whose rows become flat. */
const MOST_HEIGHT = 600;

export class SpaceTimeView {
  colouring: Colouring = "three";
  private readonly picture = document.createElement("canvas");
  /** What the picture holds, to paint only the rows that are new. */
  private painted = { run: null as Run | null, revision: 0, colouring: "three" as Colouring, theme: "light", rows: 0 };

  constructor(
    private readonly canvas: HTMLCanvasElement,
    onSeek: (step: number) => void,
  ) {
    const seek = (event: PointerEvent) => {
      const box = canvas.getBoundingClientRect();
      const rows = (this.painted.run?.steps ?? 0) + 1;
      onSeek(Math.floor(((event.clientY - box.top) / box.height) * rows));
    };
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      seek(event);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (event.buttons) seek(event);
    });
  }

  draw(run: Run, step: number, theme: Theme): void {
    this.paintNewRows(run, theme);
    const room = this.canvas.parentElement?.clientWidth ?? 0;
    const cell = Math.min(MOST_CELL, room / run.n);
    const rowHeight = Math.min(cell, Math.max(MOST_HEIGHT, cell * (run.n + 1)) / (run.steps + 1));
    const [width, height] = [cell * run.n, rowHeight * (run.steps + 1)];
    const context = resized(this.canvas, width, height);
    context.fillStyle = colour("surface");
    context.fillRect(0, 0, width, height);
    context.imageSmoothingEnabled = rowHeight < 1;
    context.drawImage(this.picture, 0, 0, width, height);
    context.strokeStyle = colour("accent");
    context.lineWidth = 2;
    context.strokeRect(1, Math.min(step * rowHeight, height - 2), width - 2, Math.max(rowHeight, 2));
  }

  private paintNewRows(run: Run, theme: Theme): void {
    const { painted, colouring } = this;
    const same =
      painted.run === run &&
      painted.revision === run.revision &&
      painted.colouring === colouring &&
      painted.theme === theme;
    if (!same) {
      this.picture.width = run.n; // also clears it
      this.picture.height = run.steps + 1;
      this.painted = { run, revision: run.revision, colouring, theme, rows: 0 };
    }
    const context = context2d(this.picture);
    for (; this.painted.rows <= run.known; this.painted.rows++) {
      context.putImageData(row(run, this.painted.rows, colouring, shades(theme)), 0, this.painted.rows);
    }
  }
}

/** One step: the first column of the mental image, which is the one that the answer is read from. */
function row(run: Run, step: number, colouring: Colouring, table: Uint32Array): ImageData {
  const image = new ImageData(run.n, 1);
  const target = new Uint32Array(image.data.buffer);
  const state = run.states[step];
  for (let cell = 0; cell < run.n; cell++) {
    const at = run.index(cell, 0, 0);
    target[cell] =
      colouring === "three"
        ? mixed(state[at], run.maps > 1 ? state[at + 1] : 0, run.maps > 2 ? state[at + 2] : 0)
        : table[shadeIndex(state[at + colouring])];
  }
  return image;
}
