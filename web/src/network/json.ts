/** Reading config.json: values of the kind that is wanted, or a sentence that says where another one stands. */

import { UserError } from "../errors";

type Json = Record<string, unknown>;

const MOST_SHOWN = 60;

/** An object in the file. */
export class Part {
  constructor(
    private readonly values: Json,
    private readonly path: string,
  ) {}

  /** An object inside this one. */
  part(key: string): Part {
    const value = this.get(key);
    if (!isObject(value)) throw this.wrong(key, "an object");
    return new Part(value, this.name(key));
  }

  /** This part, which may have no other keys than these. */
  only(...keys: readonly string[]): Part {
    const unknown = Object.keys(this.values).find((key) => !keys.includes(key));
    if (unknown === undefined) return this;
    throw new UserError(
      `config.json has ${this.name(short(unknown))}, which this page does not know; it knows ${keys.join(", ")}`,
    );
  }

  get(key: string): unknown {
    return this.values[key];
  }

  text(key: string): string {
    const value = this.get(key);
    if (typeof value !== "string") throw this.wrong(key, "a text");
    return value;
  }

  flag(key: string): boolean {
    const value = this.get(key);
    if (typeof value !== "boolean") throw this.wrong(key, "true or false");
    return value;
  }

  number(key: string, least: number, most: number): number {
    const value = this.get(key);
    if (typeof value !== "number" || value < least || value > most) {
      throw this.wrong(key, `a number from ${least} to ${most}`);
    }
    return value;
  }

  integer(key: string, least: number, most: number): number {
    const value = this.get(key);
    if (typeof value !== "number" || !Number.isInteger(value) || value < least || value > most) {
      throw this.wrong(key, `a whole number from ${least} to ${most}`);
    }
    return value;
  }

  odd(key: string, least: number, most: number): number {
    const value = this.integer(key, least, most);
    if (value % 2 === 0) throw this.wrong(key, "odd, so that a kernel has a middle");
    return value;
  }

  /** What is wrong with a value, and what would be right. */
  wrong(key: string, right: string): UserError {
    const [name, value] = [this.name(key), this.get(key)];
    if (value === undefined) return new UserError(`config.json has no ${name}; it must be ${right}`);
    return new UserError(`${name} in config.json is ${shown(value)}; it must be ${right}`);
  }

  private name(key: string): string {
    return this.path ? `${this.path}.${key}` : key;
  }
}

export function parseFile(text: string): Part {
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return new Part(value, "");
  } catch (error) {
    throw new UserError(`config.json is not valid JSON: ${error instanceof Error ? error.message : error}`);
  }
  throw new UserError("config.json is not a JSON object; take the file as `ngpu train` wrote it");
}

export function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function shown(value: unknown): string {
  if (isObject(value)) return "an object";
  return Array.isArray(value) ? "a list" : short(JSON.stringify(value));
}

function short(text: string): string {
  return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text;
}
