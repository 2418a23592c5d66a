/** Every task by name. */

import { UserError } from "../errors";
import { Arithmetic, type Sign } from "./arithmetic";
import { Rearrangement } from "./sequences";
import type { Layout, Task } from "./task";

const PREFIXES: Record<string, number> = { b: 2, q: 4, "": 10 };
const SIGNS: Record<string, Sign> = { add: "+", mul: "*" };

export function getTask(name: string, layout: Layout): Task {
  const based = /^(b|q|)(add|mul)(\d*)$/.exec(name);
  if (based) {
    const [, prefix, operation, digits] = based;
    const base = digits ? Number(digits) : PREFIXES[prefix];
    if (!(prefix && digits) && base >= 2 && base <= 10) return new Arithmetic(name, base, SIGNS[operation], layout);
  }
  switch (name) {
    case "copy":
      return new Rearrangement(name, (symbols) => symbols, layout);
    case "reverse":
      return new Rearrangement(name, (symbols) => symbols.reverse(), layout);
    case "duplicate":
      return new Rearrangement(name, (symbols) => [...symbols, ...symbols], layout, 2);
    case "sort":
      return new Rearrangement(name, (symbols) => symbols.sort(), layout);
    default:
      throw new UserError(
        `unknown task '${name}'; this page knows badd, bmul, copy, reverse, duplicate, sort, ` +
          "and add or mul with a base from 2 to 10",
      );
  }
}
