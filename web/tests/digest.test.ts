/** Weights that were damaged or exchanged are told by their digest. */

import { createHash, randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { UserError } from "../src/errors";
import { makeNetwork } from "../src/network/network";
import { readSafetensors } from "../src/network/safetensors";
import { sha256 } from "../src/network/sha256";
import { prepared } from "./environment";

const NAMES = ["cgru", "cgru-relaxed", "diagonal", "diagonal-levels", "foreign", "right"];
const FLIPS = 150;

const config = (name: string) => prepared("zoo", name, "config.json").toString();
const weights = (name: string) => new Uint8Array(prepared("zoo", name, "model.safetensors"));

test.each([0, 1, 55, 56, 63, 64, 65, 1000, 100_000])("the digest of %i bytes", (count) => {
  const bytes = randomBytes(count);
  expect(sha256([bytes.subarray(0, count >> 1), bytes.subarray(count >> 1)])).toBe(
    createHash("sha256").update(bytes).digest("hex"),
  );
});

test.each(NAMES)("the files of %s are taken", (name) => {
  expect(makeNetwork(name, config(name), weights(name).buffer).name).toBe(name);
});

test("flipped bits are noticed, or change nothing", () => {
  const whole = weights("diagonal-levels");
  const expected = readSafetensors(whole.slice().buffer);
  for (let number = 0; number < FLIPS; number++) {
    const damaged = whole.slice();
    damaged[Math.floor((number * whole.length) / FLIPS)] ^= 1 << (number % 8);
    try {
      makeNetwork("damaged", config("diagonal-levels"), damaged.buffer);
    } catch (error) {
      expect(error).toBeInstanceOf(UserError);
      continue;
    }
    expect(readSafetensors(damaged.buffer)).toEqual(expected);
  }
});

test("a zeroed half is told", () => {
  const damaged = weights("diagonal");
  damaged.fill(0, damaged.length >> 1);
  expect(() => makeNetwork("damaged", config("diagonal"), damaged.buffer)).toThrow(
    "model.safetensors is damaged: its content does not match its digest",
  );
});

test("the weights of another task are told", () => {
  const other = config("right").replace('"task": "copy"', '"task": "reverse"');
  expect(() => makeNetwork("other", other, weights("right").buffer)).toThrow(
    "model.safetensors does not belong to this config.json",
  );
});
