/** The networks that come with the page: zoo/index.json lists them, zoo/<name>/ holds each. */

import { UserError } from "../errors";
import { makeNetwork, type Network } from "../network/network";

/** A network by name, with its task and, where it is known, its recipe. */
export interface Listed {
  readonly name: string;
  readonly task: string;
  readonly recipe?: string;
}

/** A network whose configuration is wrong, with the reason. */
export interface Broken {
  readonly name: string;
  readonly error: string;
}

export interface Zoo {
  readonly networks: readonly Listed[];
  readonly broken: readonly Broken[];
}

export async function listZoo(): Promise<Zoo> {
  const response = await get("zoo/index.json");
  return parseIndex(await response.text());
}

export function parseIndex(text: string): Zoo {
  const rows = rowsOf(text);
  if (!rows?.every((row) => isListed(row) || isBroken(row))) {
    throw new UserError("zoo/index.json is not a list of networks; write the folder with `ngpu play --export`");
  }
  return { networks: rows.filter(isListed), broken: rows.filter(isBroken) };
}

export async function fetchNetwork(name: string): Promise<Network> {
  const folder = `zoo/${encodeURIComponent(name)}`;
  const [config, weights] = await Promise.all([get(`${folder}/config.json`), get(`${folder}/model.safetensors`)]);
  return makeNetwork(name, await config.text(), await weights.arrayBuffer());
}

async function get(address: string): Promise<Response> {
  const response = await fetch(address).catch(() => null);
  if (!response) throw new UserError(`${address} cannot be reached; is \`ngpu play\` still running?`);
  if (!response.ok) throw new UserError(`${address} cannot be read: the server answered ${response.status}`);
  return response;
}

function rowsOf(text: string): unknown[] | null {
  try {
    const rows = (JSON.parse(text) as { networks?: unknown } | null)?.networks;
    return Array.isArray(rows) ? rows : null;
  } catch {
    return null;
  }
}

function isListed(value: unknown): value is Listed {
  const { name, task, recipe } = (value ?? {}) as Partial<Listed>;
  return [name, task, recipe ?? ""].every((text) => typeof text === "string");
}

function isBroken(value: unknown): value is Broken {
  const { name, error } = (value ?? {}) as Partial<Broken>;
  return typeof name === "string" && typeof error === "string";
}
