/** Long addition and multiplication in any base from 2 to 10, least significant digit first. */

import { UserError } from "../errors";
import { type Layout, PAD, type Random, type Tape, Task } from "./task";

type Operation = (x: bigint, y: bigint) => bigint;
export type Sign = "+" | "*";

const OPERATIONS: Record<Sign, Operation> = { "+": (x, y) => x + y, "*": (x, y) => x * y };
const EXPLAINED_LENGTH = 65;

/** Two numbers of d digits each with a sign between them. */
export class Arithmetic extends Task {
  readonly alphabet: string;
  readonly unit: string;
  readonly example: string;

  constructor(
    readonly name: string,
    readonly base: number,
    readonly sign: Sign,
    layout: Layout,
  ) {
    super(layout);
    this.alphabet = "0123456789".slice(0, base) + sign;
    this.unit = base === 2 ? "bits" : "digits";
    this.example = `0110${sign}0101`;
  }

  override get filler(): number {
    return this.layout.zeroFill ? 1 : PAD;
  }

  extent(size: number): number {
    return 2 * size + 1;
  }

  size(text: string): number {
    this.checkSymbols(text);
    const count = this.signs(text);
    if (count !== 1) {
      throw new UserError(
        `'${text}' has ${count} signs; ${this.name} takes two numbers with one '${this.sign}' between them, ` +
          `like '${this.example}'`,
      );
    }
    const [x, y] = this.operands(text);
    if (x.length !== y.length) {
      throw new UserError(
        `operand lengths differ: ${x.length} and ${y.length} ${this.unit}; fill the shorter with zeros at its end, ` +
          "which is its most significant place",
      );
    }
    if (!x) throw new UserError(`'${text}' has empty operands; ${this.name} takes text like '${this.example}'`);
    return x.length;
  }

  answer(text: string): string {
    this.size(text);
    const [x, y] = this.operands(text);
    return fromNumber(OPERATIONS[this.sign](toNumber(x, this.base), toNumber(y, this.base)), this.base);
  }

  override read(tape: Tape): string {
    const text = super.read(tape);
    return this.layout.zeroFill ? text.replace(/0+$/, "") || "0" : text;
  }

  override explain(text: string, answer: string): string | null {
    if (text.length > EXPLAINED_LENGTH || !answer || !/^\d+$/.test(answer)) return null;
    const [x, y] = this.operands(text).map((digits) => toNumber(digits, this.base));
    return `${x} ${this.sign} ${y} = ${toNumber(answer, this.base)}`;
  }

  override mend(text: string): string | null {
    if (this.signs(text) !== 1) return null;
    const [x, y] = this.operands(text);
    const size = Math.max(x.length, y.length);
    const mended = x.padEnd(size, "0") + this.sign + y.padEnd(size, "0");
    try {
      this.size(mended);
    } catch {
      return null;
    }
    return mended === text ? null : mended;
  }

  random(size: number, random: Random): string {
    return digits(size, this.base, random) + this.sign + digits(size, this.base, random);
  }

  stress(size: number, random: Random): Map<string, string> {
    return new Map(stressOperands(size, this.base, random).map(([name, [x, y]]) => [name, x + this.sign + y]));
  }

  private signs(text: string): number {
    return text.split(this.sign).length - 1;
  }

  private operands(text: string): [string, string] {
    const [x = "", y = ""] = text.split(this.sign);
    return [x, y];
  }
}

function digits(size: number, base: number, random: Random, density = 1 - 1 / base): string {
  const digit = () => (random() < density ? 1 + Math.floor(random() * (base - 1)) : 0);
  return Array.from({ length: size }, digit).join("");
}

/** Pairs of numbers with d digits where a network that only seems to have learned an algorithm fails. */
function stressOperands(d: number, base: number, random: Random): [string, [string, string]][] {
  const any = (density?: number) => digits(d, base, random, density);
  const top = String(base - 1);
  const power = (place: number) => `${"0".repeat(place)}1${"0".repeat(d - place - 1)}`;
  const [zero, one, allTop, alternating] = ["0".repeat(d), power(0), top.repeat(d), `${top}0`.repeat(d)];
  const x = any();
  const half = any().slice(0, Math.ceil(d / 2));
  const palindrome =
    half +
    Array.from(half.slice(0, Math.floor(d / 2)))
      .reverse()
      .join("");
  const small = any()
    .slice(0, Math.max(1, Math.floor(d / 10)))
    .padEnd(d, "0");
  const middle = power(Math.floor(d / 2));
  return [
    ["zeros", [zero, zero]],
    ["zero with anything", [zero, any()]],
    ["anything with zero", [any(), zero]],
    ["all top digits", [allTop, allTop]],
    ["one with anything", [one, any()]],
    ["anything with one", [any(), one]],
    ["one with one", [one, one]],
    ["middle place alone, both", [middle, middle]],
    ["highest place alone, both", [power(d - 1), power(d - 1)]],
    ["longest carry", [allTop, one]],
    ["longest carry, turned", [one, allTop]],
    ["longest carry from the middle", [allTop, middle]],
    ["alternating", [alternating.slice(0, d), alternating.slice(0, d)]],
    ["alternating, out of step", [alternating.slice(0, d), alternating.slice(1, d + 1)]],
    ["equal operands", [x, x]],
    ["palindromes", [palindrome, palindrome]],
    ["sparse", [any(0.05), any(0.05)]],
    ["dense", [any(0.95), any(0.95)]],
    ["sparse with dense", [any(0.05), any(0.95)]],
    ["unequal magnitudes", [small, any()]],
    ["unequal magnitudes, turned", [any(), small]],
  ];
}

function toNumber(text: string, base: number): bigint {
  return Array.from(text).reduceRight((value, digit) => value * BigInt(base) + BigInt(digit), 0n);
}

function fromNumber(value: bigint, base: number): string {
  return Array.from(value.toString(base)).reverse().join("");
}
