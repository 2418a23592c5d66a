/** Playback's buttons, slider, clock and keys. */

import type { Player } from "../run/player";
import type { Run } from "../run/run";
import { element } from "./dom";

export class Transport {
  private readonly play = element("play", HTMLButtonElement);
  private readonly time = element("time", HTMLInputElement);
  private readonly clock = element("clock", HTMLOutputElement);

  constructor(private readonly player: Player) {
    const speed = element("speed", HTMLSelectElement);
    const onClick = (id: string, action: () => void) =>
      element(id, HTMLButtonElement).addEventListener("click", action);
    onClick("first", () => player.move(-Infinity));
    onClick("back", () => player.move(-1));
    onClick("forward", () => player.move(1));
    onClick("last", () => player.move(Infinity));
    this.play.addEventListener("click", () => player.toggle());
    this.time.addEventListener("input", () => {
      player.pause();
      player.seek(Number(this.time.value));
    });
    speed.addEventListener("change", () => {
      player.speed = Number(speed.value);
    });
    document.addEventListener("keydown", (event) => this.key(event));
  }

  draw(run: Run, step: number): void {
    this.play.textContent = this.player.playing ? "Pause" : "Play";
    this.time.max = String(run.steps);
    this.time.value = String(this.player.step);
    const computing = run.finished ? "" : `, ${Math.max(0, run.known)} computed`;
    this.time.setAttribute("aria-valuetext", `step ${step} of ${run.steps}${computing}`);
    this.clock.textContent = `step ${step} / ${run.steps}${computing}`;
  }

  private key(event: KeyboardEvent): void {
    const target = event.target as HTMLElement;
    const writes = target.matches("input, select, textarea");
    if (writes || event.ctrlKey || event.altKey || event.metaKey) return;
    const actions: Record<string, () => void> = {
      ArrowLeft: () => this.player.move(-1),
      ArrowRight: () => this.player.move(1),
      Home: () => this.player.move(-Infinity),
      End: () => this.player.move(Infinity),
    };
    // A focused button takes the space bar for itself.
    if (!target.matches("button")) actions[" "] = () => this.player.toggle();
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }
}
