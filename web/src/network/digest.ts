/** The digest by which a damaged model.safetensors is told from a whole one; runs/digest.py computes the same. */

import { UserError } from "../errors";
import { isObject } from "./json";
import type { Tensors } from "./safetensors";
import { sha256 } from "./sha256";

/** The entry of a file's metadata that `ngpu train` writes; files of earlier versions have none. */
const ENTRY = "neuralgpu";

/** Refuse weights that are not as they were written, or that belong to another network. */
export function checkDigest(metadata: unknown, tensors: Tensors, network: unknown): void {
  if (!isObject(metadata) || metadata[ENTRY] === undefined) return;
  const about = parse(metadata[ENTRY]);
  const { state, config, digest } = about;
  if (typeof state !== "string" || typeof config !== "string" || digest !== tensorsDigest(tensors, state, config)) {
    throw new UserError(
      "model.safetensors is damaged: its content does not match its digest; take the file as `ngpu train` wrote it",
    );
  }
  if (config !== networkDigest(network)) {
    throw new UserError(
      "model.safetensors does not belong to this config.json: another task, tape or model; take the two files of one " +
        "network",
    );
  }
}

/** The digest of the network part of config.json. */
export function networkDigest(network: unknown): string {
  const lines = Array.from(leaves(network, ""), ([name, value]) => `${name} ${value}\n`);
  return sha256([encode(lines.sort(byCodePoints).join(""))]);
}

function tensorsDigest(tensors: Tensors, state: string, config: string): string {
  const parts: Uint8Array[] = [];
  for (const name of Array.from(tensors.keys()).sort(byCodePoints)) {
    const { shape, data } = tensors.get(name) ?? { shape: [], data: new Float32Array() };
    parts.push(encode(`${name} float32 ${shape.join(",")}\n`));
    parts.push(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
  }
  parts.push(encode(`${state}\n${config}`));
  return sha256(parts);
}

/** Each value by its place, written so that 1 and 1.0 are the same number in every language. */
function* leaves(data: unknown, name: string): Generator<[string, string]> {
  if (typeof data === "object" && data !== null) {
    for (const [key, value] of Object.entries(data)) yield* leaves(value, `${name}.${key}`);
  } else if (typeof data === "string") {
    yield [name, `text ${hex(encode(data))}`];
  } else if (typeof data === "number") {
    const bytes = new DataView(new ArrayBuffer(8));
    bytes.setFloat64(0, data);
    yield [name, `number ${hex(new Uint8Array(bytes.buffer))}`];
  } else {
    yield [name, data === null ? "none" : String(data)];
  }
}

function parse(text: unknown): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(String(text));
    if (isObject(value)) return value;
  } catch {
    // told as damage, like an object without the entries
  }
  return {};
}

function byCodePoints(one: string, other: string): number {
  const [a, b] = [encode(one), encode(other)]; // bytes of UTF-8 have the order of code points
  for (let k = 0; k < Math.min(a.length, b.length); k++) if (a[k] !== b[k]) return a[k] - b[k];
  return a.length - b.length;
}

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
