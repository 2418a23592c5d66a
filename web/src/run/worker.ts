/** The worker: computes the states of a run one after the other and sends each to the page as soon as it is there. */

import { message } from "../errors";
import type { Model } from "../network/model";
import { buildModel } from "../network/network";
import type { Answer, Request, RunRequest } from "./protocol";

/** How long the worker computes before it looks for messages. */
const SLICE_MILLISECONDS = 25;

class Computation {
  private step: number;
  private state: Float32Array;

  constructor(
    private readonly model: Model,
    private readonly request: RunRequest,
  ) {
    this.step = request.from?.step ?? 0;
    this.state = request.from?.state ?? model.embed(request.tape);
    this.send();
  }

  get finished(): boolean {
    return this.step >= this.request.steps;
  }

  advance(): void {
    this.state = this.model.step(this.state, this.step);
    this.step++;
    this.send();
  }

  private send(): void {
    const [state, symbols] = [this.state.slice(), this.model.read(this.state)];
    const answer: Answer = { kind: "state", run: this.request.run, step: this.step, state, symbols };
    postMessage(answer, { transfer: [state.buffer] });
  }
}

let model: Model | null = null;
let computation: Computation | null = null;

// A message to oneself lets those of the page pass in between; a timer would add milliseconds to every slice.
const next = new MessageChannel();
next.port1.onmessage = () => guard(computeSlice);

self.onmessage = (event: MessageEvent<Request>) => guard(() => handle(event.data));

function handle(request: Request): void {
  computation = null;
  if (request.kind === "load") {
    model = buildModel(request.config, request.symbols, request.weights);
  } else if (model) {
    computation = new Computation(model, request);
    next.port2.postMessage(null);
  }
}

function computeSlice(): void {
  const end = performance.now() + SLICE_MILLISECONDS;
  while (computation && !computation.finished) {
    computation.advance();
    if (performance.now() > end) {
      next.port2.postMessage(null);
      return;
    }
  }
}

function guard(action: () => void): void {
  try {
    action();
  } catch (error) {
    const answer: Answer = { kind: "failed", message: message(error) };
    postMessage(answer);
  }
}
