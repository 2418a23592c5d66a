/** The Diagonal Neural GPU, as in src/neuralgpu/models/diagonal.py.
 *
 *     s' = g . shift(s) + (1 - g) . c
 *     c  = htanh(U * (r . s) + B)
 *     g  = hsig(U' * s + B' + 0.7)
 *     r  = hsig(U'' * s + B'' + 0.5)
 */

import type { Tape } from "../tasks/tape";
import type { DiagonalConfig } from "./config";
import { Convolution, outputFor, PaddedImage } from "./convolution";
import { type Model, part, readSymbols, take } from "./model";
import type { Tensors } from "./safetensors";

const GATE_BIAS = 0.7;
const RESET_BIAS = 0.5;

export class Diagonal implements Model {
  readonly width = 1;
  readonly maps: number;
  private readonly E: Float32Array;
  private readonly e: Float32Array;
  private readonly O: Float32Array;
  private readonly o: Float32Array;
  private readonly candidate: Convolution;
  private readonly gate: Convolution;
  private readonly reset: Convolution;

  constructor(
    private readonly config: DiagonalConfig,
    private readonly symbols: number,
    tensors: Tensors,
  ) {
    const { kernel: k, maps: m } = config;
    this.maps = m;
    this.E = take(tensors, "E", symbols, m).data;
    this.e = take(tensors, "e", m).data;
    this.O = take(tensors, "O", m, symbols).data;
    this.o = take(tensors, "o", symbols).data;
    const U = take(tensors, "U", 3, k, m, m);
    const B = take(tensors, "B", 3, m);
    const bank = (i: number, bias: number) => new Convolution(part(U, 3, i), 1, k, m, part(B, 3, i), bias);
    this.candidate = bank(0, 0);
    this.gate = bank(1, GATE_BIAS);
    this.reset = bank(2, RESET_BIAS);
  }

  embed(tape: Tape): Float32Array {
    const m = this.maps;
    const state = new Float32Array(tape.length * m);
    for (let y = 0; y < tape.length; y++) {
      for (let c = 0; c < m; c++) state[y * m + c] = htanh(this.E[tape[y] * m + c] + this.e[c]);
    }
    return state;
  }

  step(state: Float32Array): Float32Array {
    const shape = { n: state.length / this.maps, width: 1, maps: this.maps };
    const image = new PaddedImage(shape, this.config.kernel >> 1, 0);
    image.fill(state);
    const [g, r, c] = [outputFor(shape), outputFor(shape), outputFor(shape)];
    this.gate.apply(image, g);
    this.reset.apply(image, r);
    for (let i = 0; i < state.length; i++) r[i] = hsig(r[i]);
    image.fill(state, r);
    this.candidate.apply(image, c);
    return this.mix(state, g, c);
  }

  read(state: Float32Array): Tape {
    return readSymbols(state, this.maps, this.maps, this.O, this.symbols, this.o);
  }

  /** g . shift(s) + (1 - g) . c, where shift moves a third of the maps by +1 along the tape and a third by -1. */
  private mix(state: Float32Array, g: Float64Array, c: Float64Array): Float32Array {
    const [m, third] = [this.maps, this.maps / 3];
    const next = new Float32Array(state.length);
    for (let start = 0; start < state.length; start += m) {
      for (let j = 0; j < m; j++) {
        const i = start + j;
        const from = j < third ? i : j < 2 * third ? i - m : i + m;
        const shifted = from >= 0 && from < state.length ? state[from] : 0;
        const open = hsig(g[i]);
        next[i] = open * shifted + (1 - open) * htanh(c[i]);
      }
    }
    if (this.config.levels) roundTo(next, this.config.levels);
    return next;
  }
}

function hsig(x: number): number {
  return Math.max(0, Math.min(1, 0.5 * x + 0.5));
}

function htanh(x: number): number {
  return Math.max(-1, Math.min(1, x));
}

/** Round to multiples of 1/levels, halves to the even one, as torch does. */
function roundTo(state: Float32Array, levels: number): void {
  for (let i = 0; i < state.length; i++) {
    const x = Math.fround(state[i] * levels);
    const below = Math.floor(x);
    const up = x - below > 0.5 || (x - below === 0.5 && below % 2 !== 0);
    state[i] = (up ? below + 1 : below) / levels;
  }
}
