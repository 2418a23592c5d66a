/** What the page needs of a run's config.json: the task, the tape's layout and the size of the model. */

import { UserError } from "../errors";
import type { Layout } from "../tasks/task";

export interface NeuralGPUConfig {
  readonly kind: "neural gpu";
  readonly layers: number;
  readonly width: number;
  readonly maps: number;
  readonly kernelWidth: number;
  readonly kernelHeight: number;
  readonly cutoff: boolean;
  readonly tanhEmbedding: boolean;
}

export interface DiagonalConfig {
  readonly kind: "diagonal";
  readonly maps: number;
  readonly kernel: number;
  readonly levels: number;
}

export type ModelConfig = NeuralGPUConfig | DiagonalConfig;

export interface NetworkConfig {
  readonly task: string;
  readonly recipe: string;
  readonly layout: Layout;
  readonly model: ModelConfig;
}

/** The newest format of config.json that this page reads. */
const FORMAT = 1;
const LARGEST = 1024;

type Json = Record<string, unknown>;

export function parseConfig(text: string): NetworkConfig {
  const config = parseObject(text);
  if (typeof config.format === "number" && config.format > FORMAT) {
    throw new UserError(`config.json has format ${config.format}, newer than ${FORMAT}, the newest known to this page`);
  }
  const settings = object(config, "settings");
  return {
    task: string(config, "task"),
    recipe: string(config, "recipe"),
    layout: {
      slack: "slack" in settings ? integer(settings, "slack", 0) : 0,
      stretch: "stretch" in settings ? share(settings, "stretch") : 0,
      zeroFill: "zero_fill" in settings && flag(settings, "zero_fill"),
    },
    model: parseModel(object(settings, "model")),
  };
}

function parseModel(model: Json): ModelConfig {
  if ("width" in model) {
    return {
      kind: "neural gpu",
      layers: integer(model, "layers", 1),
      width: integer(model, "width", 1),
      maps: integer(model, "maps", 1),
      kernelWidth: odd(model, "kernel_width", 1),
      kernelHeight: odd(model, "kernel_height", 1),
      cutoff: flag(model, "cutoff"),
      tanhEmbedding: flag(model, "tanh_embedding"),
    };
  }
  const maps = integer(model, "maps", 1);
  if (maps % 3) throw new UserError(`maps in config.json is ${maps}; a Diagonal Neural GPU needs a multiple of 3`);
  return { kind: "diagonal", maps, kernel: odd(model, "kernel", 3), levels: integer(model, "levels", 0) };
}

function parseObject(text: string): Json {
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch (error) {
    throw new UserError(`config.json is not valid JSON: ${error instanceof Error ? error.message : error}`);
  }
  throw new UserError("config.json is not a JSON object; take the file as `ngpu train` wrote it");
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function object(parent: Json, key: string): Json {
  const value = parent[key];
  if (!isObject(value)) throw wrong(key, value, "an object");
  return value;
}

function string(parent: Json, key: string): string {
  const value = parent[key];
  if (typeof value !== "string") throw wrong(key, value, "a text");
  return value;
}

function flag(parent: Json, key: string): boolean {
  const value = parent[key];
  if (typeof value !== "boolean") throw wrong(key, value, "true or false");
  return value;
}

function integer(parent: Json, key: string, least: number): number {
  const value = parent[key];
  if (typeof value !== "number" || !Number.isInteger(value) || value < least || value > LARGEST) {
    throw wrong(key, value, `a whole number from ${least} to ${LARGEST}`);
  }
  return value;
}

function share(parent: Json, key: string): number {
  const value = parent[key];
  if (typeof value !== "number" || !(value >= 0 && value <= LARGEST)) throw wrong(key, value, "0 or more");
  return value;
}

function odd(parent: Json, key: string, least: number): number {
  const value = integer(parent, key, least);
  if (value % 2 === 0) throw wrong(key, value, "odd, so that a kernel has a middle");
  return value;
}

function wrong(key: string, value: unknown, right: string): UserError {
  if (value === undefined) return new UserError(`config.json has no ${key}; it must be ${right}`);
  return new UserError(`${key} in config.json is ${JSON.stringify(value)}; it must be ${right}`);
}
