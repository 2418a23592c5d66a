// Takes the pictures of docs/playground.md:
//
//     ngpu play --no-browser --zoo runs
//     node screenshots.mjs 'http://127.0.0.1:8765/#network=copy-paper-0&input=0110&step=2' [path of Chromium]

import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const [address, executablePath = "/usr/bin/chromium"] = process.argv.slice(2);
const PICTURES = [
  ["light", { width: 1280, height: 900 }],
  ["dark", { width: 1280, height: 900 }],
  ["phone", { width: 390, height: 844 }],
];

const browser = await chromium.launch({ executablePath, args: process.getuid?.() === 0 ? ["--no-sandbox"] : [] });
for (const [name, viewport] of PICTURES) {
  const page = await browser.newPage({ viewport, colorScheme: name === "dark" ? "dark" : "light" });
  await page.goto(address);
  await page.waitForFunction(() => /^step \d+ \/ \d+$/.test(document.querySelector("#clock")?.textContent ?? ""));
  const path = fileURLToPath(new URL(`../docs/images/playground-${name}.png`, import.meta.url));
  await page.screenshot({ path, fullPage: name !== "phone" });
}
await browser.close();
