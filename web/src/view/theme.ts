/** Light or dark: the browser's preference until the visitor chooses, and the style sheet's colours for canvases. */

import type { Theme } from "./palette";

const KEY = "neuralgpu-theme";
const darkPreferred = window.matchMedia("(prefers-color-scheme: dark)");
const resolved = new Map<string, string>();

let chosen = remembered();

export function theme(): Theme {
  return chosen ?? (darkPreferred.matches ? "dark" : "light");
}

/** Keep a button and the page's colours up to date. */
export function manageTheme(button: HTMLButtonElement, onChange: () => void): void {
  const apply = () => {
    resolved.clear();
    document.documentElement.style.colorScheme = theme();
    const other = theme() === "dark" ? "Light" : "Dark";
    button.textContent = other;
    button.setAttribute("aria-label", `${other} colours`);
    onChange();
  };
  button.addEventListener("click", () => {
    chosen = theme() === "dark" ? "light" : "dark";
    remember(chosen);
    apply();
  });
  darkPreferred.addEventListener("change", apply);
  apply();
}

/** The colour that the style sheet gives a name, such as `ink`. */
export function colour(name: string): string {
  let value = resolved.get(name);
  if (value === undefined) {
    const probe = document.createElement("span");
    probe.style.color = `var(--${name})`;
    document.body.append(probe);
    value = getComputedStyle(probe).color;
    probe.remove();
    resolved.set(name, value);
  }
  return value;
}

function remembered(): Theme | null {
  try {
    const value = localStorage.getItem(KEY);
    return value === "light" || value === "dark" ? value : null;
  } catch {
    return null; // a browser that keeps nothing for this page
  }
}

function remember(value: Theme): void {
  try {
    localStorage.setItem(KEY, value);
  } catch {
    // The choice lasts until the page is left.
  }
}
