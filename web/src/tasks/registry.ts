/** Every task by name. */

import { UserError } from "../errors";
import { Arithmetic, type Sign } from "./arithmetic";
import { ForeignTask } from "./foreign";
import { Rearrangement } from "./sequences";
import type { TapeConfig } from "./tape";
import type { Alphabet, Task } from "./task";

const PREFIXES: Record<string, number> = { b: 2, q: 4, "": 10 };
const SIGNS: Record<string, Sign> = { add: "+", mul: "*" };

/** The task that a network was trained on: the one of this name, or a ForeignTask where the page does not know it. */
export function openTask(name: string, alphabet: Alphabet, tape: TapeConfig): Task {
  const task = knownTask(name, tape);
  if (!task) return new ForeignTask(name, alphabet, tape);
  if (task.alphabet !== alphabet) {
    throw new UserError(
      `network.alphabet in config.json is '${alphabet}', and the alphabet of ${name} is '${task.alphabet}'; ` +
        "another task needs another name",
    );
  }
  return task;
}

function knownTask(name: string, tape: TapeConfig): Task | null {
  const based = /^(b|q|)(add|mul)(\d*)$/.exec(name);
  if (based) {
    const [, prefix, operation, digits] = based;
    const base = digits ? Number(digits) : PREFIXES[prefix];
    if (!(prefix && digits) && base >= 2 && base <= 10) return new Arithmetic(name, base, SIGNS[operation], tape);
  }
  switch (name) {
    case "copy":
      return new Rearrangement(name, (symbols) => symbols, tape);
    case "reverse":
      return new Rearrangement(name, (symbols) => symbols.reverse(), tape);
    case "duplicate":
      return new Rearrangement(name, (symbols) => [...symbols, ...symbols], tape);
    case "sort":
      return new Rearrangement(name, (symbols) => symbols.sort(), tape);
    default:
      return null;
  }
}
