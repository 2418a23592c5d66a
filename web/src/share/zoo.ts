/** The networks that come with the page: zoo/index.json lists them, zoo/<name>/ holds each. */

import { UserError } from "../errors";
import { makeNetwork, type Network } from "../network/network";

export interface Listed {
  readonly name: string;
  readonly task: string;
  readonly recipe: string;
}

export async function listZoo(): Promise<Listed[]> {
  const index: unknown = await (await get("zoo/index.json")).json();
  const networks = (index as { networks?: unknown }).networks;
  if (!Array.isArray(networks) || !networks.every(isListed)) {
    throw new UserError("zoo/index.json is not a list of networks; write the folder with `ngpu play --export`");
  }
  return networks;
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

function isListed(value: unknown): value is Listed {
  const { name, task, recipe } = (value ?? {}) as Partial<Listed>;
  return [name, task, recipe].every((text) => typeof text === "string");
}
