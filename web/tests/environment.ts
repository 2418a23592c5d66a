/** What tests/playground/test_page.py prepares for these tests: a running server, a browser and files to compare with. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { chromium } from "playwright-core";

function variable(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set; run these tests with pytest tests/playground/test_page.py`);
  return value;
}

export const address = () => variable("PLAYGROUND_ADDRESS");

/** A file that was prepared. */
export function prepared(...path: string[]): Buffer {
  return readFileSync(preparedPath(...path));
}

export function preparedPath(...path: string[]): string {
  return join(variable("PLAYGROUND_FILES"), ...path);
}

export function preparedJson<T>(...path: string[]): T {
  return JSON.parse(prepared(...path).toString()) as T;
}

export function launch() {
  // Chromium's sandbox does not work for root, which is who runs tests in a container.
  const args = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  return chromium.launch({ executablePath: variable("PLAYGROUND_CHROMIUM"), args });
}
