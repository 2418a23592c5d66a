/** A visitor's own network: config.json and model.safetensors, dropped on the page or chosen. */

import { UserError } from "../errors";
import { makeNetwork, type Network } from "../network/network";

const [CONFIG, WEIGHTS] = ["config.json", "model.safetensors"];

export async function networkFromFiles(files: readonly File[], folder?: string): Promise<Network> {
  const config = files.find((file) => file.name === CONFIG);
  const weights = files.find((file) => file.name === WEIGHTS);
  if (!config || !weights) {
    const missing = [config ? "" : CONFIG, weights ? "" : WEIGHTS].filter(Boolean).join(" and ");
    const names =
      files
        .map((file) => file.name)
        .slice(0, 4)
        .join(", ") || "nothing";
    throw new UserError(`${missing} is missing: you gave ${names}; give ${CONFIG} and ${WEIGHTS} of a run together`);
  }
  const text = await config.text();
  return makeNetwork(folder ?? "your network", text, await weights.arrayBuffer());
}

/** The network in what was dropped: two files, or a folder that holds them. */
export async function networkFromDrop(data: DataTransfer): Promise<Network> {
  const entries = Array.from(data.items, (item) => item.webkitGetAsEntry?.() ?? null);
  const folder = entries.find((entry): entry is FileSystemDirectoryEntry => entry?.isDirectory ?? false);
  if (!folder) return networkFromFiles(Array.from(data.files));
  return networkFromFiles(await filesOf(folder), folder.name);
}

async function filesOf(folder: FileSystemDirectoryEntry): Promise<File[]> {
  const entries = await new Promise<FileSystemEntry[]>((resolve, reject) =>
    folder.createReader().readEntries(resolve, reject),
  );
  const files = entries.filter((entry): entry is FileSystemFileEntry => entry.isFile);
  return Promise.all(files.map((entry) => new Promise<File>((resolve, reject) => entry.file(resolve, reject))));
}
