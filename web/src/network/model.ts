/** What every model is: a first state, a step, and symbols read from a state. States are (n, w, m). */

import { UserError } from "../errors";
import type { Tape } from "../tasks/tape";
import type { Tensor, Tensors } from "./safetensors";

export interface Model {
  readonly width: number;
  readonly maps: number;
  embed(tape: Tape): Float32Array;
  /** s_{t+1} from s_t. */
  step(state: Float32Array, t: number): Float32Array;
  /** The symbol that the network chooses in every cell. */
  read(state: Float32Array): Tape;
}

/** The tensor of this name, which must have this shape; -1 stands for any size. */
export function take(tensors: Tensors, name: string, ...shape: number[]): Tensor {
  const tensor = tensors.get(name);
  if (!tensor) {
    const names = [...tensors.keys()].join(", ") || "nothing";
    throw new UserError(`model.safetensors has no tensor ${name}, but ${names}; take the two files of one network`);
  }
  const fits = tensor.shape.length === shape.length && shape.every((d, i) => d === -1 || d === tensor.shape[i]);
  if (!fits) {
    const wanted = shape.map((d) => (d === -1 ? "any" : d)).join(" x ");
    throw new UserError(
      `model.safetensors does not fit config.json: ${name} is ${tensor.shape.join(" x ")} and should be ${wanted}; ` +
        "take the two files of one network",
    );
  }
  return tensor;
}

/** Part i of a tensor's data when it is cut into this many parts along its leading axes. */
export function part(tensor: Tensor, parts: number, i: number): Float32Array {
  const size = tensor.data.length / parts;
  return tensor.data.subarray(i * size, (i + 1) * size);
}

/** The largest of the scores column @ O + o, for the first column of every cell. */
export function readSymbols(
  state: Float32Array,
  cellNumbers: number,
  maps: number,
  O: Float32Array,
  symbols: number,
  o?: Float32Array,
): Tape {
  const n = state.length / cellNumbers;
  const tape = new Uint8Array(n);
  for (let y = 0; y < n; y++) {
    let best = -Infinity;
    for (let symbol = 0; symbol < symbols; symbol++) {
      let score = o ? o[symbol] : 0;
      for (let c = 0; c < maps; c++) score += state[y * cellNumbers + c] * O[c * symbols + symbol];
      if (score > best) {
        best = score;
        tape[y] = symbol;
      }
    }
  }
  return tape;
}
