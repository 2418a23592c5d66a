/** The part of a run's config.json that decides what a network does: task, alphabet, tape, steps and model. */

import { UserError } from "../errors";
import type { TapeConfig } from "../tasks/tape";
import type { Alphabet } from "../tasks/task";
import { isObject, type Part, parseFile } from "./json";

export interface NeuralGPUConfig {
  readonly kind: "neural-gpu";
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

/** How many steps a network makes on a tape. */
export interface StepsConfig {
  /** Steps for each cell; a fraction of a step counts as a whole one. */
  readonly perCell: number;
  /** Steps besides these. */
  readonly extra: number;
}

export interface NetworkConfig {
  readonly task: string;
  readonly alphabet: Alphabet;
  readonly tape: TapeConfig;
  readonly steps: StepsConfig;
  readonly model: ModelConfig;
  /** How the network was trained, where the file says so. */
  readonly recipe?: string;
}

/** The format of config.json that this page reads. */
const FORMAT = 2;
const MOST_SYMBOLS = 255; // a cell of a tape is a byte
const MOST_PER = 1000;
const MOST_EXTRA = 2 ** 31 - 1;
const LARGEST = 1024;

export function parseConfig(text: string): NetworkConfig {
  const file = parseFile(text);
  checkFormat(file);
  const network = file.part("network").only("task", "alphabet", "tape", "steps", "model");
  const alphabet = parseAlphabet(network);
  const training = file.get("training");
  return {
    task: network.text("task"),
    alphabet,
    tape: parseTape(network.part("tape"), alphabet),
    steps: parseSteps(network.part("steps")),
    model: parseModel(network.part("model")),
    recipe: isObject(training) && typeof training.recipe === "string" ? training.recipe : undefined,
  };
}

function checkFormat(file: Part): void {
  const format = file.get("format");
  if (format === 1) {
    throw new UserError(
      "config.json has format 1, and this page reads format 2; `ngpu play --zoo FOLDER`, with the folder that holds " +
        "the run's own, serves it converted",
    );
  }
  if (typeof format === "number" && format > FORMAT) {
    throw new UserError(`config.json has format ${format}, newer than ${FORMAT}, the newest known to this page`);
  }
  if (format !== FORMAT) throw file.wrong("format", String(FORMAT));
}

function parseAlphabet(network: Part): Alphabet {
  const given = network.get("alphabet");
  if (Array.isArray(given)) {
    const right = given.every((word) => typeof word === "string" && word !== "" && !/\s/.test(word));
    if (!right || !given.length || given.length > MOST_SYMBOLS || new Set(given).size < given.length) {
      throw network.wrong("alphabet", `1 to ${MOST_SYMBOLS} words without spaces, each once`);
    }
    return given;
  }
  const alphabet = network.text("alphabet");
  const symbols = Array.from(alphabet);
  if (!symbols.length || symbols.length > MOST_SYMBOLS || new Set(symbols).size < symbols.length) {
    throw network.wrong("alphabet", `a text of 1 to ${MOST_SYMBOLS} symbols, each once`);
  }
  if (symbols.includes(" ")) throw network.wrong("alphabet", "a text without a space, which stands for an empty cell");
  return alphabet;
}

function parseTape(tape: Part, alphabet: Alphabet): TapeConfig {
  tape.only("per_symbol", "extra", "fill");
  const fill = tape.get("fill");
  if (fill !== null && !(typeof fill === "string" && Array.from(alphabet).includes(fill))) {
    throw tape.wrong("fill", "null or a symbol of the alphabet");
  }
  return { perSymbol: tape.number("per_symbol", 1, MOST_PER), extra: tape.integer("extra", 0, MOST_EXTRA), fill };
}

function parseSteps(steps: Part): StepsConfig {
  steps.only("per_cell", "extra");
  return { perCell: steps.number("per_cell", 0, MOST_PER), extra: steps.integer("extra", 0, MOST_EXTRA) };
}

function parseModel(model: Part): ModelConfig {
  const kind = model.get("kind");
  if (kind === "diagonal") return parseDiagonal(model);
  if (kind === "neural-gpu") return parseNeuralGPU(model);
  throw model.wrong("kind", '"diagonal" or "neural-gpu", the models that this page runs');
}

function parseDiagonal(model: Part): DiagonalConfig {
  model.only("kind", "maps", "kernel", "levels");
  const maps = model.integer("maps", 1, LARGEST);
  if (maps % 3) throw model.wrong("maps", "a multiple of 3, because a third of them moves each way");
  return {
    kind: "diagonal",
    maps,
    kernel: model.odd("kernel", 3, LARGEST),
    levels: model.integer("levels", 0, LARGEST),
  };
}

function parseNeuralGPU(model: Part): NeuralGPUConfig {
  model.only("kind", "layers", "width", "maps", "kernel_width", "kernel_height", "cutoff", "tanh_embedding");
  return {
    kind: "neural-gpu",
    layers: model.integer("layers", 1, LARGEST),
    width: model.integer("width", 1, LARGEST),
    maps: model.integer("maps", 1, LARGEST),
    kernelWidth: model.odd("kernel_width", 1, LARGEST),
    kernelHeight: model.odd("kernel_height", 1, LARGEST),
    cutoff: model.flag("cutoff"),
    tanhEmbedding: model.flag("tanh_embedding"),
  };
}
