/** The page's side of the worker: starts runs, and fills them with the states that come back. */

import type { Network } from "../network/network";
import type { Answer, Request } from "./protocol";
import type { Run } from "./run";

export class Engine {
  private readonly worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });
  private loaded: Network | null = null;
  private run: Run | null = null;
  private number = 0;

  constructor(
    private readonly onState: (run: Run, step: number) => void,
    private readonly onFailure: (message: string) => void,
  ) {
    this.worker.onmessage = (event: MessageEvent<Answer>) => this.receive(event.data);
    this.worker.onerror = () => this.onFailure("The worker that computes did not start; reload the page.");
  }

  start(run: Run): void {
    this.load(run.network);
    this.run = run;
    this.send({ kind: "run", run: ++this.number, tape: run.tape, steps: run.steps });
  }

  /** Replace the state of a step and compute those after it anew. */
  restartFrom(run: Run, step: number, state: Float32Array): void {
    run.forgetFrom(step);
    run.edits.add(step);
    this.run = run;
    this.send({ kind: "run", run: ++this.number, tape: run.tape, steps: run.steps, from: { step, state } });
  }

  private load(network: Network): void {
    if (network === this.loaded) return;
    const { config, task, weights } = network;
    this.send({ kind: "load", config, symbols: task.symbols, weights });
    this.loaded = network;
  }

  private send(request: Request): void {
    this.worker.postMessage(request);
  }

  private receive(answer: Answer): void {
    if (answer.kind === "failed") {
      this.onFailure(answer.message);
    } else if (this.run && answer.run === this.number) {
      this.run.add(answer.step, answer.state, answer.symbols);
      this.onState(this.run, answer.step);
    }
  }
}
