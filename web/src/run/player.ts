/** Playback: which step is shown, and how it moves on with time. */

import type { Run } from "./run";

export class Player {
  step = 0;
  playing = false;
  /** Steps a second. */
  speed = 10;
  private run: Run | null = null;
  /** Where playback is between two steps. */
  private position = 0;
  private last = 0;

  constructor(private readonly onChange: () => void) {}

  /** Show a run from a step on; the step may still have to be computed. */
  show(run: Run, step: number): void {
    this.run = run;
    this.seek(step);
  }

  seek(step: number): void {
    this.step = Math.max(0, Math.min(step, this.run?.steps ?? 0));
    this.position = this.step;
    this.onChange();
  }

  /** One step on or back, which ends playback. */
  move(by: number): void {
    this.pause();
    this.seek(this.step + by);
  }

  toggle(): void {
    if (this.playing) this.pause();
    else this.play();
  }

  play(): void {
    if (!this.run || this.playing) return;
    if (this.step >= this.run.steps) this.seek(0);
    this.playing = true;
    this.last = performance.now();
    requestAnimationFrame((now) => this.frame(now));
    this.onChange();
  }

  pause(): void {
    if (!this.playing) return;
    this.playing = false;
    this.onChange();
  }

  private frame(now: number): void {
    if (!this.playing || !this.run) return;
    const elapsed = Math.max(0, now - this.last) / 1000;
    this.last = now;
    // Playback waits at the last state there is, and does not make up for it in a leap.
    this.position = Math.min(this.position + elapsed * this.speed, Math.max(this.run.known, this.step) + 0.999);
    const step = Math.min(Math.floor(this.position), Math.max(this.run.known, 0), this.run.steps);
    const ended = step >= this.run.steps;
    if (step !== this.step || ended) {
      this.step = step;
      if (ended) this.playing = false;
      this.onChange();
    }
    if (this.playing) requestAnimationFrame((later) => this.frame(later));
  }
}
