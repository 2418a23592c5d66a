/** The answer as it forms, the true answer below it, and how far they agree. */

import type { Run } from "../run/run";
import { PAD } from "../tasks/tape";
import { element } from "./dom";

const LONG_TAPE = 150;
const MOST_QUOTED = 65;

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
      pair.classList.toggle("wrong", run.isWrong(step, cell));
      pair.classList.toggle("empty", output[cell] === PAD && !run.isWrong(step, cell));
    });
    const sentence = judge(run, step);
    this.verdict.textContent = sentence;
    this.verdict.classList.toggle("right", run.target !== null && run.wrongCells(step) === 0);
    if (!playing && sentence !== this.said) {
      this.said = sentence;
      this.status.textContent = sentence;
    }
  }

  private build(run: Run): void {
    this.run = run;
    this.pairs = Array.from(run.tape, (_, cell) => {
      const pair = document.createElement("span");
      pair.className = "pair";
      pair.append(document.createElement("b"));
      if (run.target) {
        const truth = document.createElement("i");
        truth.textContent = shown(run, run.target[cell]);
        pair.append(truth);
      }
      return pair;
    });
    element("true-row", HTMLElement).hidden = run.target === null;
    this.grid.classList.toggle("long", run.n > LONG_TAPE);
    this.grid.replaceChildren(...this.pairs);
  }
}

function shown(run: Run, symbol: number): string {
  return symbol === PAD ? "·" : run.network.task.character(symbol);
}

/** How right the symbols of a step are, in a sentence; what they are where nobody knows. */
export function judge(run: Run, step: number): string {
  const { task } = run.network;
  const when = step === run.steps ? `After all ${run.steps} steps` : `After step ${step} of ${run.steps}`;
  const edited = run.edits.size ? " A cell was changed on the way." : "";
  const answer = task.read(run.outputs[step]);
  if (!run.target) return `${when}, the tape reads ${quoted(answer)}.${edited}`;
  const calculation = task.explain(run.text, answer);
  const meaning = calculation ? ` It reads ${calculation}.` : "";
  const wrong = run.wrongCells(step);
  if (wrong === 0) return `${when}, every cell is right.${meaning}${edited}`;
  return `${when}, ${run.n - wrong} of ${run.n} cells are right.${meaning}${edited}`;
}

function quoted(answer: string): string {
  if (!answer) return "nothing";
  const symbols = Array.from(answer);
  return symbols.length > MOST_QUOTED ? `'${symbols.slice(0, MOST_QUOTED).join("")}…'` : `'${answer}'`;
}
