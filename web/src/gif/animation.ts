/** A whole run as a GIF, made in slices so that the page stays alive. */

import type { Run } from "../run/run";
import type { Theme } from "../view/palette";
import { FramePainter, gifPalette } from "./frame";
import { GifWriter } from "./writer";

/** Longer runs leave steps out. */
export const MOST_FRAMES = 200;
const LAST_FRAME_HUNDREDTHS = 250;

export async function animate(
  run: Run,
  maps: readonly number[],
  theme: Theme,
  onProgress: (share: number) => void,
): Promise<Blob> {
  const painter = new FramePainter(run, maps);
  const writer = new GifWriter(painter.width, painter.height, { colours: gifPalette(theme) });
  const steps = shownSteps(run.steps);
  const hundredths = steps.length > 60 ? 5 : 10;
  for (const [i, step] of steps.entries()) {
    writer.add(painter.paint(step), step === run.steps ? LAST_FRAME_HUNDREDTHS : hundredths);
    onProgress((i + 1) / steps.length);
    await new Promise((resolve) => setTimeout(resolve));
  }
  return writer.finish();
}

/** At most MOST_FRAMES steps, evenly spaced, the first and the last among them. */
export function shownSteps(steps: number): number[] {
  const count = Math.min(steps + 1, MOST_FRAMES);
  return Array.from({ length: count }, (_, i) => (count === 1 ? 0 : Math.round((i * steps) / (count - 1))));
}
