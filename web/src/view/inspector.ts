/** One cell as numbers that can be changed. */

import { UserError } from "../errors";
import type { Run } from "../run/run";
import { element } from "./dom";
import type { Spot } from "./geometry";

export interface InspectorEvents {
  onSelect(spot: Spot): void;
  /** The state is to become another one. */
  onEdit(change: (run: Run, state: Float32Array) => void): void;
  onUndo(): void;
  onProblem(error: unknown): void;
}

const LARGEST_VALUE = 10;

export class Inspector {
  private readonly cell = element("cell", HTMLInputElement);
  private readonly column = element("column", HTMLInputElement);
  private readonly columnField = element("column-field", HTMLElement);
  private readonly map = element("map", HTMLInputElement);
  private readonly value = element("value", HTMLInputElement);
  private readonly undo = element("undo", HTMLButtonElement);
  private spot: Spot = { cell: 0, column: 0, map: 0 };

  constructor(private readonly events: InspectorEvents) {
    for (const input of [this.cell, this.column, this.map]) {
      input.addEventListener("change", () => {
        this.spot = this.typedSpot(); // at once: the next click may be on a button that changes the cell
        events.onSelect(this.spot);
      });
    }
    this.value.addEventListener("keydown", (event) => {
      if (event.key === "Enter") this.setValue();
    });
    element("set", HTMLButtonElement).addEventListener("click", () => this.setValue());
    element("empty", HTMLButtonElement).addEventListener("click", () => this.fillCell(() => 0));
    element("scramble", HTMLButtonElement).addEventListener("click", () => this.fillCell(() => 2 * Math.random() - 1));
    this.undo.addEventListener("click", () => events.onUndo());
  }

  draw(run: Run, step: number, spot: Spot): void {
    this.spot = spot;
    this.columnField.hidden = run.width === 1;
    show(this.cell, spot.cell, run.n - 1);
    show(this.column, spot.column, run.width - 1);
    show(this.map, spot.map, run.maps - 1);
    if (document.activeElement !== this.value) {
      this.value.value = run.value(step, spot.cell, spot.column, spot.map).toFixed(3);
    }
    this.undo.disabled = run.edits.size === 0;
  }

  private typedSpot(): Spot {
    const within = (input: HTMLInputElement) =>
      Math.max(0, Math.min(Number(input.max), Math.round(Number(input.value)) || 0));
    return { cell: within(this.cell), column: within(this.column), map: within(this.map) };
  }

  private setValue(): void {
    const value = Number(this.value.value.trim() || Number.NaN);
    if (!(Math.abs(value) <= LARGEST_VALUE)) {
      const right = `a cell takes a number from -${LARGEST_VALUE} to ${LARGEST_VALUE}, such as 0.5`;
      this.events.onProblem(new UserError(`the value '${this.value.value}' cannot be set; ${right}`));
      return;
    }
    const { cell, column, map } = this.spot;
    this.value.blur();
    this.events.onEdit((run, state) => {
      state[run.index(cell, column, map)] = value;
    });
  }

  private fillCell(value: () => number): void {
    const { cell, column } = this.spot;
    this.events.onEdit((run, state) => {
      for (let map = 0; map < run.maps; map++) state[run.index(cell, column, map)] = value();
    });
  }
}

function show(input: HTMLInputElement, value: number, most: number): void {
  input.max = String(most);
  if (document.activeElement !== input) input.value = String(value);
}
