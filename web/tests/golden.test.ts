/** Every state that the page computes equals torch's. */

import { readFileSync } from "node:fs";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readSafetensors, type Tensor } from "../src/network/safetensors";
import { address, launch, prepared, preparedJson } from "./environment";

const TOLERANCE = 1e-4;

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser?.close());

function statesOf(file: Buffer): Tensor {
  const states = readSafetensors(new Uint8Array(file).buffer as ArrayBuffer).get("states");
  if (!states) throw new Error("the file has no tensor named states");
  return states;
}

test.each(preparedJson<{ network: string; input: string }[]>("golden.json"))("$network", async ({ network, input }) => {
  const page = await browser.newPage();
  await page.goto(`${address()}#${new URLSearchParams({ network, input })}`);
  await page.waitForFunction(() => /^step 0 \/ \d+$/.test(document.querySelector("#clock")?.textContent ?? ""));
  const [saved] = await Promise.all([page.waitForEvent("download"), page.click("#states")]);
  const ours = statesOf(readFileSync(await saved.path()));
  const torchs = statesOf(prepared("golden", `${network}.safetensors`));
  await page.close();
  expect(ours.shape).toEqual(torchs.shape);
  const largest = ours.data.reduce((most, value, i) => Math.max(most, Math.abs(value - torchs.data[i])), 0);
  process.stdout.write(`${network}: largest difference ${largest.toExponential(1)}\n`);
  expect(largest).toBeLessThan(TOLERANCE);
});
