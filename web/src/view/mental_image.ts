/** The mental image: every number of a state as a coloured cell, between the tape and the answer that is read from it. */

import type { Run } from "../run/run";
import { PAD, type Tape } from "../tasks/tape";
import { context2d, resized } from "./dom";
import { Geometry, type Spot } from "./geometry";
import { shadeIndex, shades, type Theme } from "./palette";
import { colour } from "./theme";

const LEAST_TEXT_CELL = 6.5;
const LEAST_LABEL_STEP = 11;

export class MentalImageView {
  /** The maps shown; null shows all. */
  maps: readonly number[] | null = null;
  selected: Spot | null = null;
  private geometry: Geometry | null = null;
  private shown: { run: Run; step: number } | null = null;
  private readonly strip = document.createElement("canvas");

  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly tip: HTMLElement,
    onSelect: (spot: Spot) => void,
  ) {
    canvas.addEventListener("pointermove", (event) => this.hover(event));
    canvas.addEventListener("pointerleave", () => this.hideTip());
    canvas.addEventListener("click", (event) => {
      const spot = this.spotAt(event);
      if (spot) onSelect(spot);
    });
  }

  draw(run: Run, step: number, theme: Theme): void {
    this.shown = { run, step };
    const maps = this.maps ?? Array.from({ length: run.maps }, (_, map) => map);
    const room = this.canvas.parentElement?.clientWidth ?? 0;
    const geometry = new Geometry(run.n, run.width, maps, run.target ? 2 : 1, room);
    this.geometry = geometry;
    const context = resized(this.canvas, geometry.width, geometry.height);
    context.fillStyle = colour("surface");
    context.fillRect(0, 0, geometry.width, geometry.height);
    this.drawStrips(context, geometry, run, step, theme);
    this.drawLabels(context, geometry);
    const [reads, truth] = [geometry.bottom + 5, geometry.bottom + 5 + geometry.symbolRow];
    drawLabel(context, geometry, "tape", 0);
    drawSymbols(context, geometry, run, run.tape, 0);
    drawLabel(context, geometry, "reads", reads);
    drawSymbols(context, geometry, run, run.outputs[step], reads, (cell) => run.isWrong(step, cell));
    if (run.target) {
      drawLabel(context, geometry, "true", truth);
      drawSymbols(context, geometry, run, run.target, truth);
    }
    this.drawSelection(context, geometry);
  }

  private drawStrips(
    context: CanvasRenderingContext2D,
    geometry: Geometry,
    run: Run,
    step: number,
    theme: Theme,
  ): void {
    const rows = geometry.maps.length * run.width;
    if (!rows) return;
    this.strip.width = run.n;
    this.strip.height = rows;
    context2d(this.strip).putImageData(pixels(run, step, geometry.maps, theme), 0, 0);
    geometry.maps.forEach((_, i) => {
      const { x, y, width, height } = geometry.strip(i);
      context.drawImage(this.strip, 0, i * run.width, run.n, run.width, x, y, width, height);
    });
  }

  private drawLabels(context: CanvasRenderingContext2D, geometry: Geometry): void {
    const pitch = geometry.stripHeight + geometry.gap;
    const every = Math.max(1, Math.ceil(LEAST_LABEL_STEP / pitch));
    geometry.maps.forEach((map, i) => {
      const { y, height } = geometry.strip(i);
      if (i % every === 0) drawLabel(context, geometry, String(map), y + (height - geometry.symbolRow) / 2);
    });
  }

  private drawSelection(context: CanvasRenderingContext2D, geometry: Geometry): void {
    const frame = this.selected && geometry.rectangle(this.selected);
    if (!frame) return;
    context.strokeStyle = colour("accent");
    context.lineWidth = 2;
    context.strokeRect(frame.x - 1, frame.y - 1, frame.width + 2, frame.height + 2);
  }

  private spotAt(event: MouseEvent): Spot | null {
    const box = this.canvas.getBoundingClientRect();
    return this.geometry?.spot(event.clientX - box.left, event.clientY - box.top) ?? null;
  }

  private hover(event: PointerEvent): void {
    const spot = this.spotAt(event);
    if (!spot || !this.shown) {
      this.hideTip();
      return;
    }
    const { run, step } = this.shown;
    const value = run.value(step, spot.cell, spot.column, spot.map);
    const column = run.width > 1 ? `, column ${spot.column}` : "";
    this.tip.textContent = `cell ${spot.cell}${column}, map ${spot.map}: ${value.toFixed(4)}`;
    this.tip.hidden = false;
    const left = Math.min(event.clientX + 14, window.innerWidth - this.tip.offsetWidth - 8);
    this.tip.style.left = `${left}px`;
    this.tip.style.top = `${event.clientY + 16}px`;
  }

  private hideTip(): void {
    this.tip.hidden = true;
  }
}

/** A pixel for each number: cells across; the columns of a map, one map after the other, downwards. */
function pixels(run: Run, step: number, maps: readonly number[], theme: Theme): ImageData {
  const image = new ImageData(run.n, maps.length * run.width);
  const target = new Uint32Array(image.data.buffer);
  const [state, table] = [run.states[step], shades(theme)];
  let to = 0;
  for (const map of maps) {
    for (let column = 0; column < run.width; column++) {
      for (let cell = 0; cell < run.n; cell++) target[to++] = table[shadeIndex(state[run.index(cell, column, map)])];
    }
  }
  return image;
}

/** The name of a row, left of it. */
function drawLabel(context: CanvasRenderingContext2D, geometry: Geometry, name: string, y: number): void {
  context.fillStyle = colour("muted");
  context.font = "10px ui-monospace, monospace";
  context.textAlign = "right";
  context.textBaseline = "middle";
  context.fillText(name, geometry.left - 7, y + geometry.symbolRow / 2);
}

/** A row of symbols below or above the cells; those that are wrong are marked. */
function drawSymbols(
  context: CanvasRenderingContext2D,
  geometry: Geometry,
  run: Run,
  tape: Tape,
  y: number,
  isWrong: (cell: number) => boolean = () => false,
): void {
  const { cellWidth, symbolRow, left } = geometry;
  const { task } = run.network;
  const asText = cellWidth >= LEAST_TEXT_CELL;
  context.font = `${Math.min(14, cellWidth * 1.5)}px ui-monospace, monospace`;
  context.textAlign = "center";
  context.textBaseline = "middle";
  for (let cell = 0; cell < tape.length; cell++) {
    const symbol = tape[cell];
    const wrong = isWrong(cell);
    const x = left + cell * cellWidth;
    context.fillStyle = colour(wrong ? "wrong" : symbol === PAD ? "muted" : "ink");
    if (asText) {
      const text = symbol === PAD ? "·" : task.character(symbol);
      context.fillText(text, x + cellWidth / 2, y + symbolRow / 2, Math.max(cellWidth - 2, LEAST_TEXT_CELL));
      if (wrong) context.fillRect(x + 1, y + symbolRow - 2, cellWidth - 2, 2);
    } else if (wrong || symbol !== PAD) {
      // Too narrow for text: the higher a symbol is in the alphabet, the taller its tick.
      const height = wrong ? symbolRow - 6 : ((symbolRow - 6) * symbol) / (task.symbols - 1);
      context.fillRect(x, y + symbolRow - 3 - height, Math.max(1, cellWidth - 0.75), height);
    }
  }
}
