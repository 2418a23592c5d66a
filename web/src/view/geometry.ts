/** Where everything stands in the picture of a mental image: cells across, and a strip of w rows for each map. */

export interface Spot {
  readonly cell: number;
  readonly column: number;
  readonly map: number;
}

export interface Rectangle {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

const GUTTER = 44;
const SYMBOL_ROW = 20;
const LEAST_CELL = 2;
const MOST_CELL = 44;
const HEIGHT = 600;
const LEAST_ROW = 4;
const MOST_ROW = 34;

export class Geometry {
  readonly cellWidth: number;
  readonly rowHeight: number;
  readonly gap: number;
  readonly left = GUTTER;
  readonly top = SYMBOL_ROW + 6;
  readonly symbolRow = SYMBOL_ROW;

  constructor(
    readonly n: number,
    readonly columns: number,
    readonly maps: readonly number[],
    /** Rows of symbols below the maps. */
    private readonly symbolRows: number,
    availableWidth: number,
  ) {
    this.cellWidth = Math.max(LEAST_CELL, Math.min(MOST_CELL, (availableWidth - GUTTER - 1) / n));
    this.gap = columns > 1 ? 3 : 1;
    const rows = Math.max(1, maps.length * columns);
    const fitting = (HEIGHT - maps.length * this.gap) / rows;
    this.rowHeight = Math.max(LEAST_ROW, Math.min(MOST_ROW, Math.floor(fitting)));
    if (this.rowHeight < 5 && columns === 1) this.gap = 0;
  }

  get stripHeight(): number {
    return this.columns * this.rowHeight;
  }

  /** The lower edge of the last strip. */
  get bottom(): number {
    return this.top + this.maps.length * (this.stripHeight + this.gap);
  }

  get width(): number {
    return Math.ceil(this.left + this.n * this.cellWidth + 1);
  }

  get height(): number {
    return this.bottom + this.symbolRows * SYMBOL_ROW + 8;
  }

  strip(i: number): Rectangle {
    const y = this.top + i * (this.stripHeight + this.gap);
    return { x: this.left, y, width: this.n * this.cellWidth, height: this.stripHeight };
  }

  /** The rectangle of one number; null if its map is not shown. */
  rectangle({ cell, column, map }: Spot): Rectangle | null {
    const i = this.maps.indexOf(map);
    if (i < 0) return null;
    const { y } = this.strip(i);
    return {
      x: this.left + cell * this.cellWidth,
      y: y + column * this.rowHeight,
      width: this.cellWidth,
      height: this.rowHeight,
    };
  }

  /** The number at a point of the picture. */
  spot(x: number, y: number): Spot | null {
    const cell = Math.floor((x - this.left) / this.cellWidth);
    const i = Math.floor((y - this.top) / (this.stripHeight + this.gap));
    if (cell < 0 || cell >= this.n || i < 0 || i >= this.maps.length) return null;
    const column = Math.floor((y - this.strip(i).y) / this.rowHeight);
    return column < this.columns ? { cell, column, map: this.maps[i] } : null;
  }
}
