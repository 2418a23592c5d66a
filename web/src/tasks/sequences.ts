/** Rearranging a sequence of bits: copy, reverse, duplicate and sort. */

import { type Layout, type Random, Task } from "./task";

type Rearrange = (symbols: string[]) => string[];

export class Rearrangement extends Task {
  readonly alphabet = "01";
  readonly unit = "symbols";
  readonly example = "0011";

  constructor(
    readonly name: string,
    private readonly rearrange: Rearrange,
    layout: Layout,
    private readonly cellsPerSymbol = 1,
  ) {
    super(layout);
  }

  extent(size: number): number {
    return this.cellsPerSymbol * size;
  }

  size(text: string): number {
    this.checkSymbols(text);
    return text.length;
  }

  answer(text: string): string {
    this.size(text);
    return this.rearrange(Array.from(text)).join("");
  }

  random(size: number, random: Random): string {
    return bits(size, random);
  }

  stress(size: number, random: Random): Map<string, string> {
    const inputs = new Map<string, string>();
    const half = bits(Math.ceil(size / 2), random);
    for (const [bit, other] of ["01", "10"]) {
      inputs.set(`all ${bit}`, bit.repeat(size));
      inputs.set(`alternating from ${bit}`, (bit + other).repeat(size).slice(0, size));
      for (const [name, place] of [
        ["first", 0],
        ["middle", Math.floor(size / 2)],
        ["last", size - 1],
      ] as const) {
        inputs.set(`single ${bit}, ${name}`, other.repeat(place) + bit + other.repeat(size - place - 1));
      }
    }
    const zeros = Math.floor(size / 2);
    inputs.set("sorted", "0".repeat(zeros) + "1".repeat(size - zeros));
    inputs.set("sorted backwards", "1".repeat(zeros) + "0".repeat(size - zeros));
    inputs.set("palindrome", half + Array.from(half.slice(0, zeros)).reverse().join(""));
    inputs.set("sparse", bits(size, random, 0.05));
    inputs.set("dense", bits(size, random, 0.95));
    return inputs;
  }
}

function bits(size: number, random: Random, density = 0.5): string {
  return Array.from({ length: size }, () => (random() < density ? "1" : "0")).join("");
}
