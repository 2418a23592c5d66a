/** The Neural GPU of the paper, as in src/neuralgpu/models/neural_gpu.py.
 *
 *     CGRU(s) = u . s + (1 - u) . tanh(U * (r . s) + B)
 *           u = sigma(U' * s + B')
 *           r = sigma(U'' * s + B'')
 */

import type { Tape } from "../tasks/tape";
import type { NeuralGPUConfig } from "./config";
import { Convolution, outputFor, PaddedImage } from "./convolution";
import { type Model, part, readSymbols, take } from "./model";
import type { Tensors } from "./safetensors";

interface Layer {
  readonly candidate: Convolution;
  readonly update: Convolution;
  readonly reset: Convolution;
}

export class NeuralGPU implements Model {
  readonly width: number;
  readonly maps: number;
  /** What each symbol puts in the first column: (symbols, m). */
  private readonly columns: Float32Array;
  private readonly O: Float32Array;
  /** One list of layers for each of the r parameter sets; step t uses set t mod r. */
  private readonly sets: readonly (readonly Layer[])[];

  constructor(
    private readonly config: NeuralGPUConfig,
    private readonly symbols: number,
    tensors: Tensors,
  ) {
    const { layers, maps: m, kernelWidth, kernelHeight } = config;
    this.width = config.width;
    this.maps = m;
    this.O = take(tensors, "O", m, symbols).data;
    const E = take(tensors, "E", symbols, m).data;
    this.columns = config.tanhEmbedding ? tanhColumns(E, take(tensors, "embedding", m, m).data, m) : E;
    const U = take(tensors, "U", -1, layers, 3, kernelWidth, kernelHeight, m, m);
    const sets = U.shape[0];
    const B = take(tensors, "B", sets, layers, 3, m);
    const bank = (i: number) => {
      const parts = sets * layers * 3;
      return new Convolution(part(U, parts, i), kernelWidth, kernelHeight, m, part(B, parts, i));
    };
    this.sets = Array.from({ length: sets }, (_, set) =>
      Array.from({ length: layers }, (_, layer) => {
        const first = (set * layers + layer) * 3;
        return { candidate: bank(first), update: bank(first + 1), reset: bank(first + 2) };
      }),
    );
  }

  embed(tape: Tape): Float32Array {
    const [m, cell] = [this.maps, this.width * this.maps];
    const state = new Float32Array(tape.length * cell);
    for (let y = 0; y < tape.length; y++) {
      state.set(this.columns.subarray(tape[y] * m, (tape[y] + 1) * m), y * cell);
    }
    return state;
  }

  step(state: Float32Array, t: number): Float32Array {
    return this.sets[t % this.sets.length].reduce((s, layer) => this.cgru(s, layer), state);
  }

  read(state: Float32Array): Tape {
    return readSymbols(state, this.width * this.maps, this.maps, this.O, this.symbols);
  }

  private cgru(state: Float32Array, layer: Layer): Float32Array {
    const { width, maps, config } = this;
    const shape = { n: state.length / (width * maps), width, maps };
    const image = new PaddedImage(shape, config.kernelHeight >> 1, config.kernelWidth >> 1);
    image.fill(state);
    const [u, r, c] = [outputFor(shape), outputFor(shape), outputFor(shape)];
    layer.update.apply(image, u);
    layer.reset.apply(image, r);
    for (let i = 0; i < state.length; i++) r[i] = sigma(r[i], config.cutoff);
    image.fill(state, r);
    layer.candidate.apply(image, c);
    const next = new Float32Array(state.length);
    for (let i = 0; i < state.length; i++) {
      const keep = sigma(u[i], config.cutoff);
      next[i] = keep * state[i] + (1 - keep) * Math.tanh(c[i]);
    }
    return next;
  }
}

/** tanh(E) @ embedding, with PAD held at zero. */
function tanhColumns(E: Float32Array, embedding: Float32Array, m: number): Float32Array {
  const columns = new Float32Array(E.length);
  for (let i = m; i < E.length; i++) {
    const row = i - (i % m);
    let sum = 0;
    for (let c = 0; c < m; c++) sum += Math.tanh(E[row + c]) * embedding[c * m + (i % m)];
    columns[i] = sum;
  }
  return columns;
}

function sigma(x: number, cutoff: boolean): number {
  const y = 1 / (1 + Math.exp(-x));
  return cutoff ? Math.max(0, Math.min(1, 1.2 * y - 0.1)) : y;
}
