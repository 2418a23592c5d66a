import { Playground } from "./playground";
import { element } from "./view/dom";
import { drawScale } from "./view/scale";
import { manageFiles, manageTakeaways } from "./view/takeaway";
import { manageTheme, theme } from "./view/theme";

const playground = new Playground();
manageTheme(element("theme", HTMLButtonElement), () => {
  drawScale(element("scale", HTMLCanvasElement), theme());
  playground.invalidate();
});
manageTakeaways(playground);
manageFiles(playground);
playground.open();
