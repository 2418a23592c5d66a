/** Long addition and multiplication in any base from 2 to 10, least significant digit first. */

import { UserError } from "../errors";
import { randomDigits, stressOperands } from "./stress";
import type { TapeConfig } from "./tape";
import { type Random, Task } from "./task";

type Operation = (x: bigint, y: bigint) => bigint;
export type Sign = "+" | "*";

const OPERATIONS: Record<Sign, Operation> = { "+": (x, y) => x + y, "*": (x, y) => x * y };
const EXPLAINED_LENGTH = 65;

/** Two numbers of d digits each with a sign between them. */
export class Arithmetic extends Task {
  readonly alphabet: string;
  override readonly unit: string;
  readonly example: string;

  constructor(
    readonly name: string,
    readonly base: number,
    readonly sign: Sign,
    tape: TapeConfig,
  ) {
    super(tape);
    this.alphabet = "0123456789".slice(0, base) + sign;
    this.unit = base === 2 ? "bits" : "digits";
    this.example = `0110${sign}0101`;
  }

  override inputSymbols(size: number): number {
    return 2 * size + 1;
  }

  override size(text: string): number {
    this.checkSymbols(text);
    const count = this.signs(text);
    if (count !== 1) {
      throw new UserError(
        `'${text}' has ${count} signs; ${this.name} takes two numbers with one '${this.sign}' between them, ` +
          `like '${this.example}'`,
      );
    }
    const [x, y] = this.operands(text);
    if (!x || !y) {
      const missing = x ? "second number" : y ? "first number" : "number";
      throw new UserError(`'${text}' has no ${missing}; ${this.name} takes text like '${this.example}'`);
    }
    if (x.length !== y.length) {
      throw new UserError(
        `operand lengths differ: ${x.length} and ${y.length} ${this.unit}; fill the shorter with zeros at its end, ` +
          "which is its most significant place",
      );
    }
    return x.length;
  }

  answer(text: string): string {
    this.size(text);
    const [x, y] = this.operands(text);
    return fromNumber(OPERATIONS[this.sign](toNumber(x, this.base), toNumber(y, this.base)), this.base);
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

  override random(size: number, random: Random): string {
    return randomDigits(size, this.base, random) + this.sign + randomDigits(size, this.base, random);
  }

  override stress(size: number, random: Random): Map<string, string> {
    const pairs = stressOperands(size, this.base, random);
    return new Map(Array.from(pairs, ([name, [x, y]]) => [name, x + this.sign + y]));
  }

  private signs(text: string): number {
    return text.split(this.sign).length - 1;
  }

  private operands(text: string): [string, string] {
    const [x = "", y = ""] = text.split(this.sign);
    return [x, y];
  }
}

function toNumber(text: string, base: number): bigint {
  return Array.from(text).reduceRight((value, digit) => value * BigInt(base) + BigInt(digit), 0n);
}

function fromNumber(value: bigint, base: number): string {
  return Array.from(value.toString(base)).reverse().join("");
}
