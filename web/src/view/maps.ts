/** The choice of maps as text: `all`, or numbers and ranges such as `0-11 20`. */

import { UserError } from "../errors";

/** The chosen maps in order; null for all. */
export function parseMaps(text: string, maps: number): number[] | null {
  const words = text.split(/[\s,]+/).filter(Boolean);
  if (!words.length || (words.length === 1 && words[0].toLowerCase() === "all")) return null;
  const chosen = new Set<number>();
  for (const word of words) {
    const range = /^(\d+)(?:-(\d+))?$/.exec(word);
    const [from, to] = range ? [Number(range[1]), Number(range[2] ?? range[1])] : [0, -1];
    if (from > to || to >= maps) {
      throw new UserError(`'${word}' names no maps; write all, or numbers from 0 to ${maps - 1} such as 0-2 5`);
    }
    for (let map = from; map <= to; map++) chosen.add(map);
  }
  return [...chosen].sort((a, b) => a - b);
}
