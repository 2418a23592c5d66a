/** What a visitor takes away: a link, a GIF, the states; and what they bring: files of a network. */

import { animate } from "../gif/animation";
import type { Playground } from "../playground";
import type { Run } from "../run/run";
import { download, statesFile } from "../share/download";
import { networkFromDrop, networkFromFiles } from "../share/files";
import { element } from "./dom";
import { theme } from "./theme";

export function manageTakeaways(playground: Playground): void {
  const note = (text: string) => {
    element("note", HTMLElement).textContent = text;
  };
  const finishedRun = (): Run | null => {
    if (playground.run?.finished) return playground.run;
    note("The run is still being computed; wait for its last step.");
    return null;
  };

  element("link", HTMLButtonElement).addEventListener("click", async () => {
    const address = new URL(playground.link(), location.href).href;
    history.replaceState(null, "", address);
    const own = playground.run && playground.isOwn(playground.run.network);
    const limit = own ? " It works where the page has this network: your files are not in it." : "";
    try {
      await navigator.clipboard.writeText(address);
      note(`Copied the link to this step.${limit}`);
    } catch {
      note(`The link is in the address bar: this browser does not let the page copy it.${limit}`);
    }
  });

  const gif = element("gif", HTMLButtonElement);
  gif.addEventListener("click", async () => {
    const run = finishedRun();
    if (!run) return;
    gif.disabled = true;
    const progress = (share: number) => note(`Making the GIF: ${Math.round(100 * share)} %`);
    const content = await animate(run, playground.shownMaps(), theme(), progress);
    gif.disabled = false;
    download(`${run.network.name}.gif`, content);
    note(`Saved ${run.network.name}.gif, ${Math.ceil(content.size / 1024)} kB.`);
  });

  element("states", HTMLButtonElement).addEventListener("click", () => {
    const run = finishedRun();
    if (!run) return;
    download(`${run.network.name}-states.safetensors`, statesFile(run));
    note("Saved every state as the tensor `states`: steps, cells, columns, maps.");
  });
}

export function manageFiles(playground: Playground): void {
  const files = element("files", HTMLInputElement);
  const drop = element("drop", HTMLElement);
  element("open", HTMLButtonElement).addEventListener("click", () => files.click());
  files.addEventListener("change", () => {
    const chosen = Array.from(files.files ?? []);
    files.value = "";
    if (chosen.length) playground.guard(async () => playground.adopt(await networkFromFiles(chosen)));
  });
  document.addEventListener("dragover", (event) => {
    event.preventDefault();
    drop.hidden = false;
  });
  document.addEventListener("dragleave", (event) => {
    if (!event.relatedTarget) drop.hidden = true;
  });
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    drop.hidden = true;
    const data = event.dataTransfer;
    if (data) playground.guard(async () => playground.adopt(await networkFromDrop(data)));
  });
}
