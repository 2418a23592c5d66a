/** Files that are no network are told what is wrong with them. */

import { expect, test } from "vitest";
import { parseConfig } from "../src/network/config";
import { longestTape, makeNetwork } from "../src/network/network";
import { readSafetensors, writeSafetensors } from "../src/network/safetensors";
import { parseMaps } from "../src/view/maps";
import { prepared } from "./environment";

const config = () => prepared("zoo", "diagonal", "config.json").toString();
const weights = (name = "diagonal") => new Uint8Array(prepared("zoo", name, "model.safetensors")).buffer as ArrayBuffer;
const changed = (from: string | RegExp, to: string) => config().replace(from, to);

test.each([
  ["{", "config.json is not valid JSON"],
  ["[]", "config.json is not a JSON object"],
  ["{}", "config.json has no settings; it must be an object"],
  [changed('"format": 1', '"format": 2'), "config.json has format 2, newer than 1"],
  [changed('"task": "bmul"', '"task": 5'), "task in config.json is 5; it must be a text"],
  [changed(/"maps": \d+/, '"maps": 10'), "maps in config.json is 10; a Diagonal Neural GPU needs a multiple of 3"],
  [changed(/"kernel": 3/, '"kernel": 4'), "kernel in config.json is 4; it must be odd"],
  [changed(/"stretch": [\d.]+/, '"stretch": -1'), "stretch in config.json is -1; it must be 0 or more"],
  [changed(/"slack": \d+/, '"slack": -1'), "slack in config.json is -1; it must be a whole number from 0"],
])("a configuration that is none (%#)", (text, complaint) => {
  expect(() => parseConfig(text)).toThrow(complaint);
});

test("a configuration whose task the page does not know", () => {
  expect(() => makeNetwork("x", changed('"bmul"', '"sleep"'), weights())).toThrow("unknown task 'sleep'");
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
  const right = prepared("zoo", "right", "config.json").toString();
  const none = new Uint8Array([2, 0, 0, 0, 0, 0, 0, 0, 123, 125]).buffer;
  expect(() => makeNetwork("x", right, none)).toThrow("model.safetensors has no tensor E, but nothing");
});

test("what is written as safetensors can be read", async () => {
  const data = Float32Array.from([1, -2.5, 3, 4, 5, 6]);
  const file = writeSafetensors(new Map([["states", { shape: [2, 3], data }]]), { task: "copy" });
  expect(readSafetensors(await file.arrayBuffer()).get("states")).toEqual({ shape: [2, 3], data });
});

test("the longest tape keeps all states within the limit", () => {
  const model = { kind: "diagonal", maps: 96, kernel: 3, levels: 0 } as const;
  const layout = { slack: 0, stretch: 0, zeroFill: true };
  expect(longestTape({ task: "bmul", recipe: "diagonal", layout, model })).toBe(835);
});

test("maps are chosen by numbers and ranges", () => {
  expect(parseMaps("all", 24)).toBeNull();
  expect(parseMaps("20, 0-2 1", 24)).toEqual([0, 1, 2, 20]);
  expect(() => parseMaps("0-24", 24)).toThrow("'0-24' names no maps; write all, or numbers from 0 to 23 such as 0-2 5");
});
