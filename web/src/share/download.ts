/** Giving a file to the visitor, and the file of all states. */

import { writeSafetensors } from "../network/safetensors";
import type { Run } from "../run/run";

export function download(name: string, content: Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  // Some browsers read the address only after the click has been handled.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** Every state of a run as one tensor (steps + 1, n, w, m). */
export function statesFile(run: Run): Blob {
  const size = run.states[0].length;
  const data = new Float32Array(run.states.length * size);
  run.states.forEach((state, step) => {
    data.set(state, step * size);
  });
  const shape = [run.states.length, run.n, run.width, run.maps];
  return writeSafetensors(new Map([["states", { shape, data }]]), { task: run.network.task.name, input: run.text });
}
