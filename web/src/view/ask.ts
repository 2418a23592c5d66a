/** The upper part of the page: which network, and what to ask it. */

import { message, sentence, UserError } from "../errors";
import { checkLength, describe, largestSize, type Network } from "../network/network";
import type { Run } from "../run/run";
import type { Broken, Zoo } from "../share/zoo";
import { element } from "./dom";

export interface AskEvents {
  onNetwork(name: string): void;
  onInput(text: string): void;
}

const TYPING_MILLISECONDS = 250;

export class Ask {
  private readonly select = element("network", HTMLSelectElement);
  private readonly input = element("input", HTMLInputElement);
  private readonly size = element("size", HTMLInputElement);
  private readonly stress = element("stress", HTMLSelectElement);
  private readonly problem = element("problem", HTMLElement);
  private readonly mendButton = element("mend", HTMLButtonElement);
  private network: Network | null = null;
  private timer = 0;

  constructor(private readonly events: AskEvents) {
    this.select.addEventListener("change", () => events.onNetwork(this.select.value));
    this.input.addEventListener("input", () => {
      clearTimeout(this.timer);
      this.timer = window.setTimeout(() => this.submit(this.input.value.trim()), TYPING_MILLISECONDS);
    });
    this.input.addEventListener("keydown", (event) => {
      if (event.key === "Enter") this.submit(this.input.value.trim());
    });
    element("random", HTMLButtonElement).addEventListener("click", () =>
      this.generate((network, size) => network.task.random(size, Math.random)),
    );
    this.stress.addEventListener("change", () => {
      const name = this.stress.value;
      this.stress.selectedIndex = 0;
      this.generate((network, size) => network.task.stress(size, Math.random).get(name) ?? "");
    });
    this.mendButton.addEventListener("click", () => {
      const mended = this.network?.task.mend(this.input.value.trim());
      if (mended) this.submit(mended);
    });
  }

  /** List the networks, and after them, without a choice, those that are broken. */
  list({ networks, broken }: Zoo): void {
    const options = networks.map(({ name, task, recipe }) => {
      const label = name === task ? name : `${name}: ${task}`;
      return new Option(recipe ? `${label} (${recipe})` : label, name);
    });
    const disabled = broken.map(({ name }) => {
      const option = new Option(`${name} (broken)`, name);
      option.disabled = true;
      return option;
    });
    this.select.replaceChildren(...options, ...disabled);
    this.select.disabled = options.length === 0;
    this.tellBroken(broken);
  }

  /** Get ready for a network's task. */
  show(network: Network): void {
    this.network = network;
    const { task } = network;
    const number = task.unit === "symbols" ? "" : ", least significant digit first";
    element("hint", HTMLElement).textContent = `such as ${task.example}${number}`;
    element("size-label", HTMLElement).textContent = task.unit[0].toUpperCase() + task.unit.slice(1);
    element("about", HTMLElement).textContent = describe(network);
    this.size.max = String(largestSize(network));
    const names = [...task.stress(1, Math.random).keys()];
    this.stress.replaceChildren(new Option("choose…", ""), ...names.map((name) => new Option(name, name)));
    this.select.value = network.name;
  }

  get text(): string {
    return this.input.value.trim();
  }

  /** Ask an input, or say what is wrong with it. */
  submit(text: string): void {
    clearTimeout(this.timer);
    if (this.input.value.trim() !== text) this.input.value = text;
    if (!this.network) return;
    try {
      checkLength(this.network, text);
      this.events.onInput(text);
    } catch (error) {
      this.complain(error);
      this.input.setAttribute("aria-invalid", "true");
      this.mendButton.hidden = this.network.task.mend(text) === null;
      return;
    }
    this.size.value = String(this.network.task.size(text));
  }

  /** Say how much tape and time a run takes. */
  showExtent(run: Run): void {
    const symbols = run.network.task.split(run.text).length;
    element("takes", HTMLElement).textContent = `This input: ${symbols} symbols, ${run.n} cells, ${run.steps} steps.`;
  }

  complain(error: unknown): void {
    element("problem-text", HTMLElement).textContent = message(error);
    this.problem.hidden = false;
    this.mendButton.hidden = true;
  }

  /** There is nothing to complain about any more. */
  clear(): void {
    this.problem.hidden = true;
    this.input.removeAttribute("aria-invalid");
  }

  private tellBroken(broken: readonly Broken[]): void {
    const list = element("broken", HTMLDetailsElement);
    const count = broken.length === 1 ? "1 network here is broken" : `${broken.length} networks here are broken`;
    const reasons = broken.map(({ name, error }) => {
      const reason = document.createElement("li");
      const subject = document.createElement("b");
      subject.textContent = name;
      reason.append(subject, `: ${sentence(error)}`);
      return reason;
    });
    list.hidden = broken.length === 0;
    element("broken-count", HTMLElement).textContent = count;
    element("broken-reasons", HTMLElement).replaceChildren(...reasons);
  }

  private generate(make: (network: Network, size: number) => string): void {
    if (!this.network) return;
    const [size, most] = [Number(this.size.value), largestSize(this.network)];
    if (!Number.isInteger(size) || size < 1 || size > most) {
      const { unit } = this.network.task;
      this.complain(
        new UserError(`'${this.size.value}' is no number of ${unit}; choose a whole one from 1 to ${most}`),
      );
      return;
    }
    this.submit(make(this.network, size));
  }
}
