/** A trained network: its configuration, its task and the file of its weights. */

import { UserError } from "../errors";
import { getTask } from "../tasks/registry";
import type { Task } from "../tasks/task";
import { type NetworkConfig, parseConfig } from "./config";
import { Diagonal } from "./diagonal";
import type { Model } from "./model";
import { NeuralGPU } from "./neural_gpu";
import { readSafetensors } from "./safetensors";

/** The states of a run take at most this much memory. */
export const STATE_BYTES = 256 * 2 ** 20;

export interface Network {
  readonly name: string;
  readonly config: NetworkConfig;
  readonly task: Task;
  readonly weights: ArrayBuffer;
}

/** The network of two files; a UserError says what is wrong with them. */
export function makeNetwork(name: string, configText: string, weights: ArrayBuffer): Network {
  const config = parseConfig(configText);
  const task = getTask(config.task, config.layout);
  buildModel(config, task.symbols, weights);
  return { name, config, task, weights };
}

export function buildModel(config: NetworkConfig, symbols: number, weights: ArrayBuffer): Model {
  const tensors = readSafetensors(weights);
  return config.model.kind === "diagonal"
    ? new Diagonal(config.model, symbols, tensors)
    : new NeuralGPU(config.model, symbols, tensors);
}

/** The shape (n, w, m) of a network's states without the n. */
export function cellShape({ model }: NetworkConfig): { width: number; maps: number } {
  return { width: model.kind === "diagonal" ? 1 : model.width, maps: model.maps };
}

/** The longest tape whose states fit into memory. */
export function longestTape(config: NetworkConfig): number {
  const { width, maps } = cellShape(config);
  let n = 1;
  while ((n + 1) * (n + 2) * width * maps * 4 <= STATE_BYTES) n++;
  return n;
}

export function checkLength(network: Network, text: string): void {
  const { task, config } = network;
  const size = task.size(text);
  const [n, most] = [task.length(size), longestTape(config)];
  if (n <= most) return;
  throw new UserError(
    `${size} ${task.unit} take a tape of ${n} cells, and the page keeps every state of at most ${most}; ` +
      "shorten the input, or use `ngpu run`",
  );
}

/** A line that describes a network. */
export function describe({ config }: Network): string {
  const { model } = config;
  const shape =
    model.kind === "diagonal"
      ? `Diagonal Neural GPU, ${model.maps} maps${model.levels ? `, ${model.levels} levels` : ""}`
      : `Neural GPU, ${model.layers} layers, width ${model.width}, ${model.maps} maps`;
  return `${shape}; trained by the ${config.recipe} recipe`;
}
