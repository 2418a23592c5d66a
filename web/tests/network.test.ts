/** Files that are no network are told what is wrong with them. */

import { expect, test } from "vitest";
import { parseConfig, type StepsConfig } from "../src/network/config";
import { largestSize, makeNetwork, type Network, STATE_BYTES } from "../src/network/network";
import { readSafetensors, writeSafetensors } from "../src/network/safetensors";
import { parseIndex } from "../src/share/zoo";
import { openTask } from "../src/tasks/registry";
import { parseMaps } from "../src/view/maps";
import { prepared, preparedJson } from "./environment";

const weights = (name = "diagonal") => new Uint8Array(prepared("zoo", name, "model.safetensors")).buffer as ArrayBuffer;

/** The same without the digest, which would tell that they belong to another configuration. */
function unsigned(): ArrayBuffer {
  const file = weights();
  const text = Buffer.from(file).toString("latin1").replace("neuralgpu", "otherwise");
  return new Uint8Array(Buffer.from(text, "latin1")).buffer;
}

/** The configuration of a prepared network with another value at a place such as `network.tape.extra`; undefined removes it. */
function changed(place: string, value: unknown, name = "diagonal"): string {
  const config = preparedJson<Record<string, unknown>>("zoo", name, "config.json");
  const keys = place.split(".");
  const last = keys.pop() ?? "";
  const parent = keys.reduce((part, key) => part[key] as Record<string, unknown>, config);
  if (value === undefined) delete parent[last];
  else parent[last] = value;
  return JSON.stringify(config);
}

const config = (name = "diagonal") => prepared("zoo", name, "config.json").toString();

test.each([
  ["{", "config.json is not valid JSON"],
  ["[]", "config.json is not a JSON object"],
  ["{}", "config.json has no format; it must be 2"],
  ['{"format": "2"}', 'format in config.json is "2"; it must be 2'],
  ['{"format": 2}', "config.json has no network; it must be an object"],
  ['{"format": 2, "network": []}', "network in config.json is a list; it must be an object"],
])("a file that is no configuration: %s", (text, complaint) => {
  expect(() => parseConfig(text)).toThrow(complaint);
});

test.each([
  [
    "format",
    1,
    "config.json has format 1, and this page reads format 2; `ngpu play --zoo FOLDER`, with the folder that",
  ],
  ["format", 3, "config.json has format 3, newer than 2, the newest known to this page"],
  ["network.colour", 1, "config.json has network.colour, which this page does not know; it knows task, alphabet, tape"],
  ["network.task", 5, "network.task in config.json is 5; it must be a text"],
  ["network.alphabet", undefined, "config.json has no network.alphabet; it must be a text"],
  ["network.alphabet", "", 'network.alphabet in config.json is ""; it must be a text of 1 to 255 symbols, each once'],
  ["network.alphabet", "010", 'network.alphabet in config.json is "010"; it must be a text of 1 to 255 symbols'],
  ["network.alphabet", "0 1", 'network.alphabet in config.json is "0 1"; it must be a text without a space'],
  ["network.tape", null, "network.tape in config.json is null; it must be an object"],
  [
    "network.tape.slack",
    4,
    "config.json has network.tape.slack, which this page does not know; it knows per_symbol, extra",
  ],
  ["network.tape.per_symbol", 0.5, "network.tape.per_symbol in config.json is 0.5; it must be a number from 1 to 1000"],
  ["network.tape.extra", -1, "network.tape.extra in config.json is -1; it must be a whole number from 0 to"],
  ["network.tape.fill", "x", 'network.tape.fill in config.json is "x"; it must be null or a symbol of the alphabet'],
  ["network.tape.fill", undefined, "config.json has no network.tape.fill; it must be null or a symbol of the alphabet"],
  ["network.steps", undefined, "config.json has no network.steps; it must be an object"],
  ["network.steps.per_cell", "1", 'network.steps.per_cell in config.json is "1"; it must be a number from 0 to 1000'],
  ["network.steps.extra", 1.5, "network.steps.extra in config.json is 1.5; it must be a whole number from 0 to"],
  ["network.model.kind", undefined, 'config.json has no network.model.kind; it must be "diagonal" or "neural-gpu"'],
  ["network.model.kind", "rnn", 'network.model.kind in config.json is "rnn"; it must be "diagonal" or "neural-gpu"'],
  ["network.model.kind", "neural-gpu", "config.json has network.model.kernel, which this page does not know"],
  ["network.model.maps", 10, "network.model.maps in config.json is 10; it must be a multiple of 3"],
  ["network.model.maps", 3000, "network.model.maps in config.json is 3000; it must be a whole number from 1 to 1024"],
  ["network.model.kernel", 4, "network.model.kernel in config.json is 4; it must be odd"],
  ["network.model.levels", true, "network.model.levels in config.json is true; it must be a whole number"],
])("a configuration whose %s is %j", (place, value, complaint) => {
  expect(() => parseConfig(changed(place, value))).toThrow(complaint);
});

test("a deeply nested value is told like any other", () => {
  const text = `{"format": 2, "network": ${"[".repeat(10_000)}${"]".repeat(10_000)}}`;
  expect(() => parseConfig(text)).toThrow("network in config.json is a list; it must be an object");
});

test("the kind of a model is a tag and not guessed from its keys", () => {
  expect(() => parseConfig(changed("network.model.kind", "diagonal", "cgru"))).toThrow(
    "config.json has network.model.layers, which this page does not know; it knows kind, maps, kernel, levels",
  );
});

test.each([
  [undefined, undefined],
  [5, undefined],
  [{ seed: 0 }, undefined],
  [{ recipe: 5 }, undefined],
  [{ recipe: "exact" }, "exact"],
])("the training part may be anything: %j", (training, recipe) => {
  expect(parseConfig(changed("training", training)).recipe).toBe(recipe);
});

test("a task that the page does not know is a network without true answers", () => {
  const { task } = makeNetwork("x", changed("network.task", "sleep"), unsigned());
  expect(task.answer("0**1")).toBeNull();
  expect(task.encodeAnswer("0**1")).toBeNull();
  expect(() => task.size("012")).toThrow("symbol '2' at position 2 is not in the alphabet of sleep: 0 1 *");
});

test("symbols may be words, with spaces between them in inputs and answers", () => {
  const file = JSON.parse(changed("network.alphabet", ["the", "cat", "sat"]));
  Object.assign(file.network, { task: "turned", tape: { per_symbol: 1, extra: 1, fill: null } });
  const { task } = makeNetwork("x", JSON.stringify(file), unsigned());
  const text = " the cat  sat cat the";
  expect(task.size(text)).toBe(5);
  expect(Array.from(task.encode(text).slice(0, 6))).toEqual([1, 2, 3, 2, 1, 0]);
  expect(task.read(Uint8Array.from([3, 2, 0, 1, 0, 0]))).toBe("sat cat  the");
  expect(() => task.size("the dog")).toThrow(
    "symbol 'dog' at position 1 is not in the alphabet of turned: the cat sat",
  );
  for (const input of [task.random(7, Math.random), ...task.stress(7, Math.random).values(), task.example]) {
    expect(task.size(input)).toBe(input === task.example ? 3 : 7);
  }
});

test.each([[[]], [["a", "a"]], [["a b"]], [[""]], [[3]]])("an alphabet that is no list of words: %j", (alphabet) => {
  expect(() => parseConfig(changed("network.alphabet", alphabet))).toThrow(
    "it must be 1 to 255 words without spaces, each once",
  );
});

test("a known task with another alphabet is told", () => {
  expect(() => makeNetwork("x", changed("network.alphabet", "01+"), unsigned())).toThrow(
    "network.alphabet in config.json is '01+', and the alphabet of bmul is '01*'; another task needs another name",
  );
});

test("a network whose shortest run is too long for the page is told", () => {
  expect(() => makeNetwork("x", changed("network.steps.extra", 1_000_000), unsigned())).toThrow(
    "1 bits take 7 cells and 1000007 steps, and the page keeps every state; use `ngpu run`",
  );
});

test.each([
  [new ArrayBuffer(3), "model.safetensors is damaged: it has only 3 bytes"],
  [weights().slice(0, 60), "model.safetensors is damaged: its header is longer than the file"],
  [weights().slice(0, -4), "model.safetensors is damaged: the numbers of"],
  [weights("cgru-relaxed"), "model.safetensors does not fit config.json: E is 4 x 7 and should be 4 x 24"],
  [weights("right"), "model.safetensors does not fit config.json: E is 3 x 9 and should be 4 x 24"],
])("weights that are none (%#)", (file, complaint) => {
  expect(() => makeNetwork("x", config(), file)).toThrow(complaint);
});

test("weights of another model", () => {
  const none = new Uint8Array([2, 0, 0, 0, 0, 0, 0, 0, 123, 125]).buffer;
  expect(() => makeNetwork("x", config("right"), none)).toThrow("model.safetensors has no tensor E, but nothing");
});

test("what is written as safetensors can be read", async () => {
  const data = Float32Array.from([1, -2.5, 3, 4, 5, 6]);
  const file = writeSafetensors(new Map([["states", { shape: [2, 3], data }]]), { task: "copy" });
  expect(readSafetensors(await file.arrayBuffer()).get("states")).toEqual({ shape: [2, 3], data });
});

test.each([
  [1, 0],
  [2, 0],
  [0.5, 0],
  [1, 100],
])("the longest input at %d steps a cell and %d more keeps all states within the limit", (perCell, extra) => {
  const network = copying({ perCell, extra }, 96);
  const bytes = (size: number) => (Math.ceil(perCell * size) + extra + 1) * size * 96 * 4;
  const size = largestSize(network);
  expect(bytes(size)).toBeLessThanOrEqual(STATE_BYTES);
  expect(bytes(size + 1)).toBeGreaterThan(STATE_BYTES);
});

test("the longest input has no more cells and steps than can be drawn", () => {
  expect(largestSize(copying({ perCell: 0, extra: 1 }, 3))).toBe(8000);
  expect(largestSize(copying({ perCell: 8, extra: 0 }, 3))).toBe(1000);
});

function copying(steps: StepsConfig, maps: number): Network {
  const tape = { perSymbol: 1, extra: 0, fill: null };
  const model = { kind: "diagonal", maps, kernel: 3, levels: 0 } as const;
  const config = { task: "copy", alphabet: "01", tape, steps, model };
  return { name: "x", config, task: openTask("copy", "01", tape), weights: new ArrayBuffer(0) };
}

test("a list of networks may have broken ones, and those whose recipe is not known", () => {
  const rows = [
    { name: "a", task: "copy" },
    { name: "b", error: "no" },
    { name: "c", task: "sort", recipe: "paper" },
  ];
  expect(parseIndex(JSON.stringify({ networks: rows }))).toEqual({ networks: [rows[0], rows[2]], broken: [rows[1]] });
});

test.each(["", "null", "{}", '{"networks": [{"name": 1}]}', '{"networks": [{"name": "a", "task": "b", "recipe": 1}]}'])(
  "'%s' is no list of networks",
  (text) => {
    expect(() => parseIndex(text)).toThrow("zoo/index.json is not a list of networks");
  },
);

test("maps are chosen by numbers and ranges", () => {
  expect(parseMaps("all", 24)).toBeNull();
  expect(parseMaps("20, 0-2 1", 24)).toEqual([0, 1, 2, 20]);
  expect(() => parseMaps("0-24", 24)).toThrow("'0-24' names no maps; write all, or numbers from 0 to 23 such as 0-2 5");
});
