/** The page in a real browser. */

import { readFileSync } from "node:fs";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { address, launch, prepared, preparedPath } from "./environment";

const INPUT = "01101001100101101001";

let browser: Browser;
let context: BrowserContext;
let page: Page;
let complaints: string[];

beforeAll(async () => {
  browser = await launch();
  context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
});
afterAll(() => browser?.close());

beforeEach(async () => {
  page = await context.newPage();
  complaints = [];
  page.on("console", (line) => complaints.push(line.text()));
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("request", (request) => {
    if (!request.url().startsWith(address())) complaints.push(`a request to ${request.url()}`);
  });
});

afterEach(async () => {
  await page.close();
  expect(complaints).toEqual([]); // which also holds the page to its content security policy
});

async function open(link: string): Promise<void> {
  await page.goto(address() + link);
  await page.waitForFunction(() => /^step \d+ \/ \d+$/.test(document.querySelector("#clock")?.textContent ?? ""));
}

const textOf = async (selector: string) => ((await page.textContent(selector)) ?? "").trim().replace(/\s+/g, " ");
const shows = (selector: string, text: string | RegExp) => {
  const found = expect.poll(() => textOf(selector), { timeout: 10_000 });
  return typeof text === "string" ? found.toContain(text) : found.toMatch(text);
};
const fill = (selector: string, text: string) => page.fill(selector, text);

test("typing an input computes its answer", async () => {
  await open("#network=right");
  await fill("#input", INPUT);
  await shows("#clock", "step 0 / 20");
  await page.click("#last");
  await shows("#verdict", "After all 20 steps, every cell is right.");
  const cells = (kind: string) => page.$$eval(`#answer ${kind}`, (all) => all.map((one) => one.textContent).join(""));
  expect(await cells("b")).toBe(INPUT);
  expect(await cells("i")).toBe(INPUT);
});

test("playing runs to the end, and can be paused", async () => {
  await open(`#network=right&input=${INPUT}`);
  await page.selectOption("#speed", "30");
  await page.click("#play");
  await shows("#play", "Pause");
  await shows("#clock", /^step ([3-9]|1\d) /);
  await page.click("#play");
  await shows("#play", "Play");
  const paused = await textOf("#clock");
  await page.waitForTimeout(150);
  expect(await textOf("#clock")).toBe(paused);
  await page.click("#play");
  await shows("#clock", "step 20 / 20");
  await shows("#play", "Play");
});

test("the keyboard plays, steps and jumps", async () => {
  await open(`#network=right&input=${INPUT}`);
  await page.focus("#link");
  for (const [key, clock] of [
    ["ArrowRight", "step 1 / 20"],
    ["ArrowRight", "step 2 / 20"],
    ["ArrowLeft", "step 1 / 20"],
    ["End", "step 20 / 20"],
    ["Home", "step 0 / 20"],
  ]) {
    await page.keyboard.press(key);
    await shows("#clock", clock);
  }
  await page.evaluate(() => (document.activeElement as HTMLElement).blur());
  await page.keyboard.press("Space");
  await shows("#play", "Pause");
  await page.keyboard.press("Space");
  await shows("#play", "Play");
});

test("every control can be reached with the tab key", async () => {
  await open("#network=cgru");
  const wanted = new Set(
    await page.$$eval("button, input, select", (all) =>
      all
        .filter((one) => (one as HTMLElement).offsetParent && !(one as HTMLButtonElement).disabled)
        .map((one) => one.id),
    ),
  );
  for (let i = 0; i < 60 && wanted.size; i++) {
    await page.keyboard.press("Tab");
    wanted.delete(await page.evaluate(() => document.activeElement?.id ?? ""));
  }
  expect([...wanted]).toEqual([]);
});

test("the time slider and the space-time view go to a step", async () => {
  await open(`#network=right&input=${INPUT}`);
  await fill("#time", "7");
  await shows("#clock", "step 7 / 20");
  const box = await page.locator("#space").boundingBox();
  await page.mouse.click((box?.x ?? 0) + 5, (box?.y ?? 0) + ((box?.height ?? 0) * 12.5) / 21);
  await shows("#clock", "step 12 / 20");
});

test.each([
  ["right", "01201", "Symbol '2' at position 2 is not in the alphabet of copy: 0 1"],
  ["right", "", "The input is empty; copy takes text like '0011'"],
  ["right", "0".repeat(3000), "3000 symbols take 3000 cells and 3000 steps, and the page keeps every state; shorten"],
  ["foreign", "abca", "Symbol 'c' at position 2 is not in the alphabet of swap: a b"],
  ["diagonal", "0101", "'0101' has 0 signs; bmul takes two numbers with one '*' between them, like '0110*0101'"],
])("a wrong input of %s is told (%#)", async (network, text, complaint) => {
  await open(`#network=${network}`);
  await fill("#input", text);
  await shows("#problem-text", complaint);
  expect(await page.getAttribute("#input", "aria-invalid")).toBe("true");
  await page.click("#random");
  await expect.poll(() => page.isVisible("#problem")).toBe(false);
});

test("operands of different lengths are filled with zeros on request", async () => {
  await open("#network=diagonal");
  await fill("#input", "101*1");
  await shows("#problem-text", "Operand lengths differ: 3 and 1 bits; fill the shorter with zeros");
  await page.click("#mend");
  expect(await page.inputValue("#input")).toBe("101*100");
  expect(await page.isVisible("#problem")).toBe(false);
});

test.each([
  ["#size", "0", "#random", "'0' is no number of symbols; choose a whole one from 1 to"],
  ["#maps", "99", "#image-title", "'99' names no maps; write all, or numbers from 0 to 8"],
  ["#value", "", "#set", "The value '' cannot be set; a cell takes a number from -10 to 10"],
])("a wrong value of %s is told", async (field, value, then, complaint) => {
  await open("#network=right");
  await fill(field, value);
  await page.click(then);
  await shows("#problem-text", complaint);
});

test("random and stress inputs have the size that is asked for", async () => {
  await open("#network=diagonal");
  await fill("#size", "12");
  await page.click("#random");
  expect(await page.inputValue("#input")).toMatch(/^[01]{12}\*[01]{12}$/);
  await page.selectOption("#stress", "longest carry");
  expect(await page.inputValue("#input")).toBe("111111111111*100000000000");
});

test("a link carries network, input and step", async () => {
  await open(`#network=right&input=${INPUT}`);
  await fill("#time", "13");
  await page.click("#link");
  await shows("#note", /link/);
  const link = new URL(page.url()).hash;
  await page.goto("about:blank");
  await open(link);
  await shows("#clock", "step 13 / 20");
  expect(await page.inputValue("#input")).toBe(INPUT);
  expect(await page.inputValue("#network")).toBe("right");
});

test.each([
  ["#network=nothing", "The link asks for the network 'nothing', which is not here; there are"],
  ["#network=right&step=x", "The link has step 'x'; it must be a whole number from 0 on"],
  ["#network=right&input=abc", "Symbol 'a' at position 0 is not in the alphabet of copy"],
])("a wrong link is told: %s", async (link, complaint) => {
  await page.goto(address() + link);
  await shows("#problem-text", complaint);
});

test("cells and steps are counted apart", async () => {
  await open(`#network=cgru-few-steps&input=${INPUT}&step=13`);
  await shows("#takes", "This input: 20 symbols, 20 cells, 13 steps.");
  await shows("#clock", "step 13 / 13");
  await shows("#verdict", /^After all 13 steps, \d+ of 20 cells are right\.$/);
  expect(await page.$$eval("#answer .pair", (all) => all.length)).toBe(20);
  expect(await page.getAttribute("#time", "max")).toBe("13");
  expect(await page.getAttribute("#cell", "max")).toBe("19");
  const box = await page.locator("#space").boundingBox();
  expect((box?.height ?? 0) / (box?.width ?? 1)).toBeCloseTo(14 / 20);
  await open(`#network=diagonal-many-steps&input=${INPUT}&step=100`);
  await shows("#clock", "step 33 / 33");
});

test("a task that the page does not know runs without a verdict", async () => {
  await open("#network=foreign");
  expect(await page.inputValue("#input")).toBe("ab");
  await shows("#about", "This page does not know the task swap, so it has no true answers.");
  await fill("#input", "abba");
  await shows("#takes", "This input: 4 symbols, 7 cells, 14 steps.");
  await page.click("#last");
  await shows("#verdict", "After all 14 steps, the tape reads 'abba'.");
  expect(await page.$$eval("#verdict.right, #answer .wrong, #answer i", (all) => all.length)).toBe(0);
  expect(await page.isVisible("#true-row")).toBe(false);
  await fill("#size", "6");
  await page.click("#random");
  expect(await page.inputValue("#input")).toMatch(/^[ab]{6}$/);
  await page.selectOption("#stress", "single b, last");
  expect(await page.inputValue("#input")).toBe("aaaaab");
  await shows("#clock", "step 0 / 20");
  expect(await saveGif()).toEqual({ name: "foreign.gif", frames: 21, widths: Array(21).fill(16 + 10 * 16) });
});

test("a broken network is listed without a choice, and its reason is told", async () => {
  await open("#network=right");
  expect(await page.$$eval("#network option:disabled", (all) => all.map((one) => one.textContent))).toEqual([
    "broken (broken)",
  ]);
  await shows("#broken-count", "1 network here is broken");
  await page.click("#broken-count");
  await shows("#broken-reasons", /^broken: config\.json is not valid JSON: .*\.$/);
  await page.goto(`${address()}#network=broken`);
  await shows("#problem-text", "The link asks for the network 'broken', which is broken: config.json is not valid");
});

test("a link may name the task alone", async () => {
  await open("#task=bmul&input=11*11&step=2");
  await shows("#clock", "step 2 / ");
});

test("the mental image tells the value under the pointer", async () => {
  await open(`#network=right&input=${INPUT}`);
  await page.hover("#image", { position: { x: 60, y: 40 } });
  await shows("#tip", /^cell 0, map 0: -?\d\.\d{4}$/);
});

test("an edited cell is computed on from there, and the edit can be undone", async () => {
  await open(`#network=right&input=${INPUT}&step=5`);
  await fill("#cell", "3");
  await page.click("#empty");
  await page.click("#last");
  await shows("#verdict", "After all 20 steps, 19 of 20 cells are right. A cell was changed on the way.");
  expect(await page.$$eval("#answer .pair", (all) => all.findIndex((one) => one.matches(".wrong")))).toBe(3);
  await fill("#time", "4");
  await shows("#verdict", "After step 4 of 20, every cell is right.");
  await page.click("#undo");
  await page.click("#last");
  await shows("#verdict", "After all 20 steps, every cell is right.");
});

test("one number of a cell can be set", async () => {
  await open(`#network=right&input=${INPUT}&step=5`);
  await page.click("#image", { position: { x: 60, y: 40 } });
  await fill("#value", "-0.25");
  await page.press("#value", "Enter");
  await page.focus("#cell");
  await expect.poll(() => page.inputValue("#value")).toBe("-0.250");
});

test("chosen maps alone are drawn", async () => {
  await open(`#network=right&input=${INPUT}`);
  const height = () => page.$eval("#image", (canvas) => (canvas as HTMLCanvasElement).height);
  const before = await height();
  await fill("#maps", "0-1");
  await page.press("#maps", "Enter");
  await expect.poll(height).toBeLessThan(before);
});

test("a run is saved as a GIF whose frames are its steps", async () => {
  await open(`#network=cgru&input=${INPUT}`);
  expect(await saveGif()).toEqual({ name: "cgru.gif", frames: 21, widths: Array(21).fill(16 + 20 * 16) });
});

test("the frames of a GIF are steps and not cells", async () => {
  await open(`#network=cgru-few-steps&input=${INPUT}`);
  expect(await saveGif()).toEqual({ name: "cgru-few-steps.gif", frames: 14, widths: Array(14).fill(16 + 20 * 16) });
});

async function saveGif(): Promise<{ name: string; frames: number; widths: number[] }> {
  const [saved] = await Promise.all([page.waitForEvent("download"), page.click("#gif")]);
  const bytes = Array.from(readFileSync(await saved.path()));
  const decoded = await page.evaluate(async (data) => {
    const decoder = new ImageDecoder({ data: Uint8Array.from(data), type: "image/gif" });
    await decoder.tracks.ready;
    const frames = decoder.tracks.selectedTrack?.frameCount ?? 0;
    const widths = [];
    for (let frameIndex = 0; frameIndex < frames; frameIndex++) {
      const { image } = await decoder.decode({ frameIndex, completeFramesOnly: true });
      widths.push(image.codedWidth);
    }
    return { frames, widths };
  }, bytes);
  return { name: saved.suggestedFilename(), ...decoded };
}

test("a visitor's own network runs from its two files", async () => {
  await open("#network=right");
  const files = ["config.json", "model.safetensors"].map((name) => preparedPath("own", name));
  await page.setInputFiles("#files", files);
  await shows("#about", /^Diagonal Neural GPU, 9 maps/);
  await page.click("#last");
  await shows("#verdict", "After all 4 steps, every cell is right.");
  await page.setInputFiles("#files", files[0]);
  await shows("#problem-text", "model.safetensors is missing: you gave config.json");
  const old = ["config.json", "model.safetensors"].map((name) => preparedPath("zoo", "format-1", name));
  await page.setInputFiles("#files", old);
  await shows("#problem-text", "config.json has format 1, and this page reads format 2; `ngpu play --zoo FOLDER`");
});

test("a network can be dropped on the page", async () => {
  await open("#network=cgru");
  const contents = ["config.json", "model.safetensors"].map((name) => ({ name, bytes: [...prepared("own", name)] }));
  await page.evaluate((files) => {
    const data = new DataTransfer();
    for (const { name, bytes } of files) data.items.add(new File([Uint8Array.from(bytes)], name));
    document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
  }, contents);
  await shows("#about", /^Diagonal Neural GPU, 9 maps/);
});

test("the page fits a phone, in light and in dark", async () => {
  await page.setViewportSize({ width: 390, height: 844 });
  for (const scheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme: scheme });
    await open(`#network=cgru&input=${INPUT}`);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    await shows("#theme", scheme === "light" ? "Dark" : "Light");
  }
  const background = () => page.$eval("body", (body) => getComputedStyle(body).backgroundColor);
  const dark = await background();
  await page.click("#theme");
  await shows("#theme", "Dark");
  expect(await background()).not.toBe(dark);
});

test("401 symbols are computed without freezing the page", async () => {
  await open("#network=right");
  const longest = await page.evaluate(
    async (input) => {
      let [longest, last, on] = [0, performance.now(), true];
      const tick = (now: number) => {
        longest = Math.max(longest, now - last);
        last = now;
        if (on) requestAnimationFrame(tick);
      };
      requestAnimationFrame(tick);
      const field = document.querySelector("#input") as HTMLInputElement;
      field.value = input;
      field.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter" }));
      (document.querySelector("#last") as HTMLElement).click();
      const clock = document.querySelector("#clock");
      while (clock?.textContent !== "step 401 / 401") await new Promise((resolve) => setTimeout(resolve, 20));
      on = false;
      return longest;
    },
    `${"01".repeat(200)}1`,
  );
  await shows("#verdict", "After all 401 steps, every cell is right.");
  expect(longest).toBeLessThan(1000); // a frame takes milliseconds; computing in the page itself would take seconds
});
