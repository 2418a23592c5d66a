/** The page as a whole: one network, one input, one run, and the views that show a step of it. */

import { UserError } from "./errors";
import type { Network } from "./network/network";
import { Engine } from "./run/engine";
import { Player } from "./run/player";
import { Run } from "./run/run";
import { readLink, type Shared, writeLink } from "./share/link";
import { fetchNetwork, listZoo, type Zoo } from "./share/zoo";
import { AnswerView } from "./view/answer";
import { Ask } from "./view/ask";
import { element } from "./view/dom";
import type { Spot } from "./view/geometry";
import { Inspector } from "./view/inspector";
import { parseMaps } from "./view/maps";
import { MentalImageView } from "./view/mental_image";
import { type Colouring, SpaceTimeView } from "./view/space_time";
import { theme } from "./view/theme";
import { Transport } from "./view/transport";

const LINK_MILLISECONDS = 300;

export class Playground {
  run: Run | null = null;
  private zoo: Zoo = { networks: [], broken: [] };
  /** Networks that the visitor brought, by name. */
  private readonly own = new Map<string, Network>();
  private network: Network | null = null;
  private wantedName = "";
  private spot: Spot = { cell: 0, column: 0, map: 0 };
  private drawing = false;
  private linkTimer = 0;

  private readonly stage = element("stage", HTMLElement);
  private readonly mapsField = element("maps", HTMLInputElement);
  private readonly colouring = element("colouring", HTMLSelectElement);
  readonly player = new Player(() => this.invalidate());
  private readonly engine = new Engine(
    () => this.invalidate(),
    (text) => this.ask.complain(new UserError(text)),
  );
  readonly ask = new Ask({
    onNetwork: (name) => this.guard(() => this.choose(name)),
    onInput: (text) => this.start(text, 0),
  });
  private readonly transport = new Transport(this.player);
  private readonly image = new MentalImageView(
    element("image", HTMLCanvasElement),
    element("tip", HTMLElement),
    (spot) => this.select(spot),
  );
  private readonly space = new SpaceTimeView(element("space", HTMLCanvasElement), (step) => {
    this.player.pause();
    this.player.seek(step);
  });
  private readonly answer = new AnswerView(
    element("answer", HTMLElement),
    element("verdict", HTMLElement),
    element("status", HTMLElement),
  );
  private readonly inspector = new Inspector({
    onSelect: (spot) => this.select(spot),
    onEdit: (change) => this.edit(change),
    onUndo: () => this.run && this.start(this.run.text, this.player.step),
    onProblem: (error) => this.ask.complain(error),
  });

  constructor() {
    this.mapsField.addEventListener("change", () => this.chooseMaps());
    this.colouring.addEventListener("change", () => {
      const value = this.colouring.value;
      this.space.colouring = value === "three" ? value : Number(value);
      this.invalidate();
    });
    window.addEventListener("hashchange", () => this.guard(() => this.follow(readLink(location.hash))));
    new ResizeObserver(() => this.invalidate()).observe(this.stage);
  }

  /** Read the list of networks and show what the link asks for. */
  async open(): Promise<void> {
    await this.guard(async () => {
      this.zoo = await listZoo();
      this.ask.list(this.listed());
      await this.follow(readLink(location.hash));
    });
  }

  /** Show a network that the visitor brought. */
  adopt(network: Network): void {
    this.own.set(network.name, network);
    this.ask.list(this.listed());
    this.use(network);
    this.ask.submit(network.task.example);
  }

  /** The maps that the mental image shows. */
  shownMaps(): readonly number[] {
    return this.image.maps ?? Array.from({ length: this.run?.maps ?? 0 }, (_, map) => map);
  }

  /** Draw in the next frame, however often this is asked for until then. */
  invalidate(): void {
    if (this.drawing) return;
    this.drawing = true;
    requestAnimationFrame(() => {
      this.drawing = false;
      this.draw();
    });
  }

  /** The visitor's own networks and then those of the page, each name once. */
  private listed(): Zoo {
    const own = Array.from(this.own.values(), ({ name, config }) => ({
      name,
      task: config.task,
      recipe: config.recipe,
    }));
    const isOther = ({ name }: { name: string }) => !this.own.has(name);
    return {
      networks: [...own, ...this.zoo.networks.filter(isOther)],
      broken: this.zoo.broken.filter(isOther),
    };
  }

  private async follow({ network, task, input, step }: Shared): Promise<void> {
    const { networks, broken } = this.listed();
    if (!networks.length) {
      const state = broken.length ? "every network here is broken" : "there are no networks here yet";
      throw new UserError(`${state}; open one, or drop its config.json and model.safetensors`);
    }
    const wanted = network ?? task;
    const wrong = broken.find(({ name }) => name === network);
    const named = networks.find(({ name }) => name === network);
    const found = named ?? (wrong ? undefined : networks.find((one) => one.task === wanted));
    await this.choose((found ?? networks[0]).name, input, step);
    if (wanted === undefined || found) return;
    if (wrong) throw new UserError(`the link asks for the network '${wanted}', which is broken: ${wrong.error}`);
    const names = networks.map(({ name }) => name).join(", ");
    throw new UserError(`the link asks for the network '${wanted}', which is not here; there are ${names}`);
  }

  /** Switch to a network; an input that it cannot take gives way to its example. */
  private async choose(name: string, input?: string, step = 0): Promise<void> {
    this.wantedName = name;
    const network = this.network?.name === name ? this.network : (this.own.get(name) ?? (await fetchNetwork(name)));
    if (this.wantedName !== name) return; // another one was chosen meanwhile
    this.use(network);
    if (input === undefined) {
      this.ask.submit(network.task.example);
      return;
    }
    this.ask.submit(input);
    if (this.run?.text === input) this.player.seek(step);
  }

  private use(network: Network): void {
    if (network === this.network) return;
    this.network = network;
    this.image.maps = null;
    this.mapsField.value = "all";
    this.ask.show(network);
    const maps = network.config.model.maps;
    const single = Array.from({ length: maps }, (_, map) => new Option(`Map ${map}`, String(map)));
    this.colouring.replaceChildren(new Option("Maps 0–2 as colours", "three"), ...single);
    this.colour("three");
  }

  private start(text: string, step: number): void {
    if (!this.network) return;
    this.run = new Run(this.network, text);
    this.ask.clear();
    this.ask.showExtent(this.run);
    this.spot = {
      cell: Math.min(this.spot.cell, this.run.n - 1),
      column: 0,
      map: Math.min(this.spot.map, this.run.maps - 1),
    };
    this.player.pause();
    this.engine.start(this.run);
    this.player.show(this.run, step);
  }

  private edit(change: (run: Run, state: Float32Array) => void): void {
    const { run } = this;
    if (!run || run.known < 0) return;
    this.ask.clear();
    const step = Math.min(this.player.step, run.known);
    const state = run.states[step].slice();
    change(run, state);
    this.player.pause();
    this.engine.restartFrom(run, step, state);
    this.player.seek(step);
  }

  private select(spot: Spot): void {
    this.spot = spot;
    if (this.space.colouring !== "three") this.colour(spot.map);
    this.invalidate();
  }

  private colour(colouring: Colouring): void {
    this.space.colouring = colouring;
    this.colouring.value = String(colouring);
  }

  private chooseMaps(): void {
    if (!this.run) return;
    try {
      this.image.maps = parseMaps(this.mapsField.value, this.run.maps);
      this.ask.clear();
    } catch (error) {
      this.ask.complain(error);
    }
    this.invalidate();
  }

  private draw(): void {
    const { run } = this;
    if (!run || run.known < 0) return;
    this.stage.hidden = false;
    const step = Math.min(this.player.step, run.known);
    this.image.selected = this.spot;
    this.transport.draw(run, step);
    this.answer.draw(run, step, this.player.playing);
    this.image.draw(run, step, theme());
    this.space.draw(run, step, theme());
    this.inspector.draw(run, step, this.spot);
    if (!this.player.playing) this.rememberInLink();
  }

  /** Put what is shown into the address, when it has rested for a moment: browsers allow few changes a second. */
  private rememberInLink(): void {
    clearTimeout(this.linkTimer);
    this.linkTimer = window.setTimeout(() => {
      if (this.run) history.replaceState(null, "", this.link());
    }, LINK_MILLISECONDS);
  }

  link(): string {
    if (!this.run) return "";
    return writeLink({ network: this.run.network.name, input: this.run.text, step: this.player.step });
  }

  isOwn(network: Network): boolean {
    return this.own.has(network.name);
  }

  /** Do something and show what goes wrong. */
  async guard(action: () => Promise<void>): Promise<void> {
    try {
      await action();
    } catch (error) {
      this.ask.complain(error);
    }
  }
}
