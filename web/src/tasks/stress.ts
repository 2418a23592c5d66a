/** Inputs that random ones hardly ever are: where a network that only seems to have learned an algorithm fails.
 *
 * The names and constructions are those of `Task.stress` in src/neuralgpu/tasks, to which a test holds them.
 */

import type { Random } from "./task";

/** Sequences of so many symbols by name: one or two different ones, in order, sparse, dense. */
export function stressSequences(alphabet: readonly string[], size: number, random: Random): Map<string, string[]> {
  const first = alphabet[0];
  const others = alphabet.length > 1 ? alphabet.slice(1) : alphabet;
  const middle = Math.floor(size / 2);
  const mostly = (density: number) =>
    Array.from({ length: size }, () => (random() < density ? pick(others, random) : first));
  const end = (k: number) => Math.floor((k * size) / alphabet.length);
  const inOrder = (symbols: readonly string[]) =>
    symbols.flatMap((symbol, k) => new Array<string>(end(k + 1) - end(k)).fill(symbol));
  const inputs = new Map<string, string[]>();
  alphabet.forEach((symbol, i) => {
    const other = others[i] ?? first;
    const choose = (isSymbol: (cell: number) => boolean) =>
      Array.from({ length: size }, (_, cell) => (isSymbol(cell) ? symbol : other));
    inputs.set(
      `all ${symbol}`,
      choose(() => true),
    );
    inputs.set(
      `alternating from ${symbol}`,
      choose((cell) => cell % 2 === 0),
    );
    for (const [name, place] of [
      ["first", 0],
      ["middle", middle],
      ["last", size - 1],
    ] as const) {
      inputs.set(
        `single ${symbol}, ${name}`,
        choose((cell) => cell === place),
      );
    }
  });
  inputs.set("sorted", inOrder(alphabet));
  inputs.set("sorted backwards", inOrder([...alphabet].reverse()));
  inputs.set("palindrome", palindrome(mostly(1 - 1 / alphabet.length)));
  inputs.set("sparse", mostly(0.05));
  inputs.set("dense", mostly(0.95));
  return inputs;
}

/** So many symbols, drawn independently and all alike. */
export function randomSymbols(alphabet: readonly string[], count: number, random: Random): string[] {
  return Array.from({ length: count }, () => pick(alphabet, random));
}

/** Pairs of numbers with d digits by name, least significant digit first. */
export function stressOperands(d: number, base: number, random: Random): Map<string, [string, string]> {
  const any = (density?: number) => randomDigits(d, base, random, density);
  const power = (place: number) => `${"0".repeat(place)}1${"0".repeat(d - place - 1)}`;
  const small = () => any().slice(0, tenth).padEnd(d, "0");
  const tenth = Math.max(1, Math.floor(d / 10));
  const middle = Math.floor(d / 2);
  const top = String(base - 1);
  const [zero, one, allTop, alternating] = ["0".repeat(d), power(0), top.repeat(d), `${top}0`.repeat(d)];
  const [same, mirrored] = [any(), palindrome(Array.from(any())).join("")];
  const places: [string, number][] = [
    ["lowest", 0],
    ["middle", middle],
    ["highest", d - 1],
  ];
  return new Map<string, [string, string]>([
    ["zeros", [zero, zero]],
    ["zero with anything", [zero, any()]],
    ["anything with zero", [any(), zero]],
    ["all top digits", [allTop, allTop]],
    ["one with anything", [one, any()]],
    ["anything with one", [any(), one]],
    ["one with one", [one, one]],
    ...places.flatMap(([name, place]): [string, [string, string]][] => [
      [`${name} place alone, first`, [power(place), any()]],
      [`${name} place alone, second`, [any(), power(place)]],
      [`${name} place alone, both`, [power(place), power(place)]],
    ]),
    ["longest carry", [allTop, one]],
    ["longest carry, turned", [one, allTop]],
    ["longest carry from the middle", [allTop, power(middle)]],
    ["alternating", [alternating.slice(0, d), alternating.slice(0, d)]],
    ["alternating, out of step", [alternating.slice(0, d), alternating.slice(1, d + 1)]],
    ["equal operands", [same, same]],
    ["palindromes", [mirrored, mirrored]],
    ["palindrome with anything", [mirrored, any()]],
    ["sparse", [any(0.05), any(0.05)]],
    ["dense", [any(0.95), any(0.95)]],
    ["sparse with dense", [any(0.05), any(0.95)]],
    ["unequal magnitudes", [small(), any()]],
    ["unequal magnitudes, turned", [any(), small()]],
  ]);
}

/** Digits, a share of which is not zero; without it all digits are as frequent. */
export function randomDigits(size: number, base: number, random: Random, density = 1 - 1 / base): string {
  const digit = () => (random() < density ? 1 + Math.floor(random() * (base - 1)) : 0);
  return Array.from({ length: size }, digit).join("");
}

/** Symbols whose second half is the first one backwards. */
function palindrome(symbols: readonly string[]): string[] {
  const half = symbols.slice(0, Math.ceil(symbols.length / 2));
  return [...half, ...half.slice(0, Math.floor(symbols.length / 2)).reverse()];
}

function pick(symbols: readonly string[], random: Random): string {
  return symbols[Math.floor(random() * symbols.length)];
}
