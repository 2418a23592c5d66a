/** A trained network: its configuration, its task and the file of its weights. */

import { UserError } from "../errors";
import { openTask } from "../tasks/registry";
import type { Task } from "../tasks/task";
import { type NetworkConfig, parseConfig, type StepsConfig } from "./config";
import { Diagonal } from "./diagonal";
import { checkDigest } from "./digest";
import { parseFile } from "./json";
import type { Model } from "./model";
import { NeuralGPU } from "./neural_gpu";
import { readMetadata, readSafetensors } from "./safetensors";

/** The states of a run take at most this much memory. */
export const STATE_BYTES = 256 * 2 ** 20;
/** Cells, and steps, that a canvas of any browser has room for. */
const MOST_DRAWN = 8000;

export interface Network {
  readonly name: string;
  readonly config: NetworkConfig;
  readonly task: Task;
  readonly weights: ArrayBuffer;
}

/** The network of two files; a UserError says what is wrong with them. */
export function makeNetwork(name: string, configText: string, weights: ArrayBuffer): Network {
  const config = parseConfig(configText);
  const task = openTask(config.task, config.alphabet, config.tape);
  buildModel(config, task.symbols, weights);
  checkDigest(readMetadata(weights), readSafetensors(weights), parseFile(configText).get("network"));
  const network = { name, config, task, weights };
  if (!largestSize(network)) throw tooLong(network, 1);
  return network;
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

/** The steps that a network makes on a tape of so many cells. */
export function stepsFor({ perCell, extra }: StepsConfig, cells: number): number {
  return Math.ceil(perCell * cells) + extra;
}

/** The size of the longest input whose states fit into memory; 0 where none does. */
export function largestSize({ config, task }: Network): number {
  const { width, maps } = cellShape(config);
  const fits = (size: number) => {
    const cells = task.length(size);
    const steps = stepsFor(config.steps, cells);
    return Math.max(cells, steps) <= MOST_DRAWN && (steps + 1) * cells * width * maps * 4 <= STATE_BYTES;
  };
  let [size, above] = [0, MOST_DRAWN + 1];
  while (above - size > 1) {
    const middle = (size + above) >> 1;
    if (fits(middle)) size = middle;
    else above = middle;
  }
  return size;
}

export function checkLength(network: Network, text: string): void {
  const size = network.task.size(text);
  if (size > largestSize(network)) throw tooLong(network, size);
}

function tooLong(network: Network, size: number): UserError {
  const { config, task } = network;
  const [cells, most] = [task.length(size), largestSize(network)];
  const remedy = most ? `shorten the input to ${most} ${task.unit}, or use \`ngpu run\`` : "use `ngpu run`";
  return new UserError(
    `${size} ${task.unit} take ${cells} cells and ${stepsFor(config.steps, cells)} steps, and the page keeps every ` +
      `state; ${remedy}`,
  );
}

/** What a network is, in sentences. */
export function describe({ config, task }: Network): string {
  const { model, recipe } = config;
  const shape =
    model.kind === "diagonal"
      ? `Diagonal Neural GPU, ${model.maps} maps${model.levels ? `, ${model.levels} levels` : ""}`
      : `Neural GPU, ${model.layers} layers, width ${model.width}, ${model.maps} maps`;
  const training = recipe ? `; trained by the ${recipe} recipe` : "";
  const foreign = task.isKnown ? "" : ` This page does not know the task ${task.name}, so it has no true answers.`;
  return `${shape}${training}.${foreign}`;
}
