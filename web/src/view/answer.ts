/** The answer as it forms, the true answer below it, and how far they agree. */

import type { Run } from "../run/run";
import { PAD } from "../tasks/task";

const LONG_TAPE = 150;

export class AnswerView {
  private run: Run | null = null;
  private pairs: HTMLElement[] = [];
  private said = "";

  constructor(
    private readonly grid: HTMLElement,
    private readonly verdict: HTMLElement,
    /** Told to screen readers, only when playback rests. */
    private readonly status: HTMLElement,
  ) {}

  draw(run: Run, step: number, playing: boolean): void {
    if (run !== this.run) this.build(run);
    const output = run.outputs[step];
    this.grid.classList.toggle("finished", step === run.steps);
    this.pairs.forEach((pair, cell) => {
      const text = shown(run, output[cell]);
      const reads = pair.firstElementChild;
      if (reads && reads.textContent !== text) reads.textContent = text;
      pair.classList.toggle("wrong", output[cell] !== run.target[cell]);
      pair.classList.toggle("empty", output[cell] === PAD && run.target[cell] === PAD);
    });
    const sentence = judge(run, step);
    this.verdict.textContent = sentence;
    this.verdict.classList.toggle("right", run.wrongCells(step).length === 0);
    if (!playing && sentence !== this.said) {
      this.said = sentence;
      this.status.textContent = sentence;
    }
  }

  private build(run: Run): void {
    this.run = run;
    this.pairs = Array.from(run.target, (symbol) => {
      const pair = document.createElement("span");
      pair.className = "pair";
      const [reads, truth] = [document.createElement("b"), document.createElement("i")];
      truth.textContent = shown(run, symbol);
      pair.append(reads, truth);
      return pair;
    });
    this.grid.classList.toggle("long", run.n > LONG_TAPE);
    this.grid.replaceChildren(...this.pairs);
  }
}

function shown(run: Run, symbol: number): string {
  return symbol === PAD ? "·" : run.network.task.character(symbol);
}

/** How right the symbols of a step are, in a sentence. */
export function judge(run: Run, step: number): string {
  const { task } = run.network;
  const wrong = run.wrongCells(step).length;
  const when = step === run.steps ? `After all ${run.steps} steps` : `After step ${step} of ${run.steps}`;
  const calculation = task.explain(run.text, task.read(run.outputs[step]));
  const meaning = calculation ? ` It reads ${calculation}.` : "";
  const edited = run.edits.size ? " A cell was changed on the way." : "";
  if (wrong === 0) return `${when}, every cell is right.${meaning}${edited}`;
  return `${when}, ${run.n - wrong} of ${run.n} cells are right.${meaning}${edited}`;
}
