/** The safetensors format: an 8-byte header length, a JSON header, then the numbers. */

import { UserError } from "../errors";

export interface Tensor {
  readonly shape: readonly number[];
  readonly data: Float32Array;
}

export type Tensors = ReadonlyMap<string, Tensor>;

interface Entry {
  dtype: string;
  shape: number[];
  data_offsets: [number, number];
}

const LENGTH_BYTES = 8;

export function readSafetensors(file: ArrayBuffer): Tensors {
  const header = readHeader(file);
  const start = LENGTH_BYTES + headerLength(file);
  const tensors = new Map<string, Tensor>();
  for (const [name, entry] of Object.entries(header)) {
    if (name !== "__metadata__") tensors.set(name, readTensor(file, start, name, entry));
  }
  return tensors;
}

/** What a file says about itself; undefined where it says nothing. */
export function readMetadata(file: ArrayBuffer): unknown {
  return readHeader(file).__metadata__;
}

export function writeSafetensors(tensors: Tensors, metadata: Record<string, string>): Blob {
  const header: Record<string, unknown> = { __metadata__: metadata };
  let offset = 0;
  for (const [name, { shape, data }] of tensors) {
    header[name] = { dtype: "F32", shape, data_offsets: [offset, offset + data.byteLength] };
    offset += data.byteLength;
  }
  const text = JSON.stringify(header);
  const bytes = new TextEncoder().encode(text + " ".repeat((8 - (new TextEncoder().encode(text).length % 8)) % 8));
  const length = new DataView(new ArrayBuffer(LENGTH_BYTES));
  length.setBigUint64(0, BigInt(bytes.length), true);
  return new Blob([length.buffer, bytes, ...Array.from(tensors.values(), ({ data }) => new Float32Array(data))]);
}

function headerLength(file: ArrayBuffer): number {
  if (file.byteLength < LENGTH_BYTES) throw damaged(`it has only ${file.byteLength} bytes`);
  const length = Number(new DataView(file).getBigUint64(0, true));
  if (length > file.byteLength - LENGTH_BYTES) throw damaged("its header is longer than the file");
  return length;
}

function readHeader(file: ArrayBuffer): Record<string, unknown> {
  try {
    const header: unknown = JSON.parse(
      new TextDecoder().decode(new Uint8Array(file, LENGTH_BYTES, headerLength(file))),
    );
    if (typeof header === "object" && header !== null) return header as Record<string, unknown>;
  } catch (error) {
    if (error instanceof UserError) throw error;
  }
  throw damaged("its header is not JSON");
}

function readTensor(file: ArrayBuffer, start: number, name: string, entry: unknown): Tensor {
  if (!isEntry(entry)) throw damaged(`the entry of ${name} is not a tensor`);
  if (entry.dtype !== "F32") {
    throw new UserError(`${name} in model.safetensors has numbers of type ${entry.dtype}; this page reads F32`);
  }
  const [from, to] = entry.data_offsets;
  const numbers = entry.shape.reduce((product, size) => product * size, 1);
  if (from < 0 || start + to > file.byteLength || to - from !== 4 * numbers) {
    throw damaged(`the numbers of ${name} are not all there`);
  }
  const data = new Float32Array(file.slice(start + from, start + to));
  if (!data.every(Number.isFinite)) throw damaged(`${name} holds numbers that are not finite`);
  return { shape: entry.shape, data };
}

function isEntry(entry: unknown): entry is Entry {
  if (typeof entry !== "object" || entry === null) return false;
  const { dtype, shape, data_offsets: offsets } = entry as Partial<Entry>;
  const isSize = (value: unknown) => Number.isSafeInteger(value);
  return (
    typeof dtype === "string" &&
    Array.isArray(shape) &&
    shape.every(isSize) &&
    Array.isArray(offsets) &&
    offsets.length === 2 &&
    offsets.every(isSize)
  );
}

function damaged(reason: string): UserError {
  return new UserError(`model.safetensors is damaged: ${reason}; take the file as \`ngpu train\` wrote it`);
}
