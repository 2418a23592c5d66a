/** Colours of numbers: one hue below zero, another above it, the paper's own colour at zero. */

export type Theme = "light" | "dark";
export type Rgb = readonly [number, number, number];

/** Shades on either side of zero and zero itself: an odd number, so that zero has a shade of its own. */
export const SHADES = 201;

interface Ends {
  readonly below: readonly Rgb[];
  readonly zero: Rgb;
  readonly above: readonly Rgb[];
}

const ENDS: Record<Theme, Ends> = {
  light: {
    below: [
      [158, 197, 226],
      [46, 118, 184],
      [14, 54, 110],
    ],
    zero: [250, 249, 246],
    above: [
      [246, 190, 140],
      [222, 96, 38],
      [122, 32, 10],
    ],
  },
  dark: {
    below: [
      [26, 62, 98],
      [52, 134, 206],
      [170, 220, 255],
    ],
    zero: [22, 24, 29],
    above: [
      [94, 46, 24],
      [224, 112, 50],
      [255, 218, 170],
    ],
  },
};

/** SHADES colours as 0xAABBGGRR, which is what ImageData holds on the machines there are. */
export function shades(theme: Theme): Uint32Array {
  return Uint32Array.from({ length: SHADES }, (_, i) => packed(shade(theme, i)));
}

export function shade(theme: Theme, i: number): Rgb {
  const value = (2 * i) / (SHADES - 1) - 1;
  const { below, zero, above } = ENDS[theme];
  return interpolate([zero, ...(value < 0 ? below : above)], Math.abs(value));
}

/** The shade of a number; what lies beyond [-1, 1] has the last one. */
export function shadeIndex(value: number): number {
  const cut = Math.max(-1, Math.min(1, value));
  return Math.round(((cut + 1) / 2) * (SHADES - 1));
}

/** Three numbers as one colour. */
export function mixed(red: number, green: number, blue: number): number {
  const level = (value: number) => Math.round(((Math.max(-1, Math.min(1, value)) + 1) / 2) * 255);
  return packed([level(red), level(green), level(blue)]);
}

function packed([red, green, blue]: Rgb): number {
  return (0xff000000 | (blue << 16) | (green << 8) | red) >>> 0;
}

function interpolate(stops: readonly Rgb[], at: number): Rgb {
  const place = at * (stops.length - 1);
  const i = Math.min(Math.floor(place), stops.length - 2);
  const between = (k: 0 | 1 | 2) => Math.round(stops[i][k] + (stops[i + 1][k] - stops[i][k]) * (place - i));
  return [between(0), between(1), between(2)];
}
