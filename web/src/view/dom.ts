/** Finding the elements of the page by name and type. */

export function element<T extends HTMLElement>(id: string, type: new () => T): T {
  const found = document.getElementById(id);
  if (!(found instanceof type)) throw new Error(`the page has no ${type.name} named ${id}`);
  return found;
}

export function context2d(canvas: HTMLCanvasElement): CanvasRenderingContext2D {
  const context = canvas.getContext("2d");
  if (!context) throw new Error("this browser gives no 2D canvas");
  return context;
}

/** Give a canvas this size in CSS pixels, sharp on dense screens, and return its context in CSS pixels. */
export function resized(canvas: HTMLCanvasElement, width: number, height: number): CanvasRenderingContext2D {
  const density = window.devicePixelRatio || 1;
  const [w, h] = [Math.round(width * density), Math.round(height * density)];
  if (canvas.width !== w || canvas.height !== h) {
    canvas.width = w;
    canvas.height = h;
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
  }
  const context = context2d(canvas);
  context.setTransform(density, 0, 0, density, 0, 0);
  context.imageSmoothingEnabled = false;
  return context;
}
