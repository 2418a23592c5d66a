/** U * s + B of the paper, over a mental image of n x w cells with m numbers each and zeros outside.
 *
 * This is where all of the time goes. Four cells and two outputs at a time keep their eight sums in registers,
 * weights that are zero are left out, and Float64Array spares the conversion that every read of a Float32Array costs.
 */

const CELLS = 4;
const OUTPUTS = 2;

export interface Shape {
  readonly n: number;
  readonly width: number;
  readonly maps: number;
}

/** A mental image with a border of zeros, as wide as the kernels reach. */
export class PaddedImage {
  readonly data: Float64Array;
  /** Numbers from a cell to the next one along the tape. */
  readonly stride: number;

  constructor(
    readonly shape: Shape,
    private readonly borderHeight: number,
    private readonly borderWidth: number,
  ) {
    this.stride = (shape.width + 2 * borderWidth) * shape.maps;
    this.data = new Float64Array((CELLS * Math.ceil(shape.n / CELLS) + 2 * borderHeight) * this.stride);
  }

  /** Write an image (n, w, m), times another one where that is given. */
  fill(image: Float32Array, factor?: Float64Array): void {
    const { n, width, maps } = this.shape;
    const row = width * maps;
    for (let y = 0; y < n; y++) {
      const to = (y + this.borderHeight) * this.stride + this.borderWidth * maps;
      for (let i = 0; i < row; i++) {
        const from = y * row + i;
        this.data[to + i] = factor ? image[from] * factor[from] : image[from];
      }
    }
  }
}

/** Room for an image that a convolution writes: whole groups of cells. */
export function outputFor({ n, width, maps }: Shape): Float64Array {
  return new Float64Array(CELLS * Math.ceil(n / CELLS) * width * maps);
}

/** A weight of each of two outputs, for the same number of the image. */
interface Tap {
  readonly v: number;
  /** From the first number of the kernel's row. */
  readonly place: number;
  readonly weights: readonly [number, number];
}

export class Convolution {
  /** Taps of each pair of outputs in turn, without those whose weights are both zero, as most are in a pruned network. */
  private readonly taps: readonly (readonly Tap[])[];
  private readonly weights: Float64Array;
  /** Where each tap finds its number, seen from the kernel's corner, in images of this stride. */
  private readonly offsets: Int32Array;
  private stride = -1;
  private readonly bias: Float64Array;

  /** A kernel bank U (k_w, k_h, from, to) and a bias for each map. */
  constructor(
    U: Float32Array,
    kernelWidth: number,
    kernelHeight: number,
    private readonly maps: number,
    bias: Float32Array,
    extraBias = 0,
  ) {
    this.taps = tapsOfPairs(U, kernelWidth, kernelHeight, maps);
    this.weights = Float64Array.from(this.taps.flat().flatMap((tap) => tap.weights));
    this.offsets = new Int32Array(this.weights.length / OUTPUTS);
    this.bias = new Float64Array(OUTPUTS * Math.ceil(maps / OUTPUTS));
    for (let i = 0; i < maps; i++) this.bias[i] = bias[i] + extraBias;
  }

  apply(image: PaddedImage, out: Float64Array): void {
    const { n, width } = image.shape;
    if (image.stride !== this.stride) this.place(image.stride);
    let from = 0;
    this.taps.forEach((taps, pair) => {
      const to = from + taps.length;
      for (let x = 0; x < width; x++) {
        for (let y = 0; y < n; y += CELLS) this.applyBlock(image, out, OUTPUTS * pair, from, to, x, y);
      }
      from = to;
    });
  }

  private place(stride: number): void {
    this.taps.flat().forEach((tap, k) => {
      this.offsets[k] = tap.v * stride + tap.place;
    });
    this.stride = stride;
  }

  /** Outputs `first` and the one after it, by the taps from..to, at four cells from y on in column x. */
  private applyBlock(
    image: PaddedImage,
    out: Float64Array,
    first: number,
    from: number,
    to: number,
    x: number,
    y: number,
  ): void {
    const { weights, offsets, maps } = this;
    const { data, stride } = image;
    const bias0 = this.bias[first];
    const bias1 = this.bias[first + 1];
    let a0 = bias0;
    let a1 = bias1;
    let b0 = bias0;
    let b1 = bias1;
    let c0 = bias0;
    let c1 = bias1;
    let d0 = bias0;
    let d1 = bias1;
    const corner = y * stride + x * maps;
    for (let k = from; k < to; k++) {
      const p = corner + offsets[k];
      const w0 = weights[OUTPUTS * k];
      const w1 = weights[OUTPUTS * k + 1];
      const a = data[p];
      const b = data[p + stride];
      const c = data[p + 2 * stride];
      const d = data[p + 3 * stride];
      a0 += a * w0;
      a1 += a * w1;
      b0 += b * w0;
      b1 += b * w1;
      c0 += c * w0;
      c1 += c * w1;
      d0 += d * w0;
      d1 += d * w1;
    }
    const row = image.shape.width * maps;
    const o = y * row + x * maps + first;
    out[o] = a0;
    out[o + row] = b0;
    out[o + 2 * row] = c0;
    out[o + 3 * row] = d0;
    if (first + 1 < maps) {
      out[o + 1] = a1;
      out[o + row + 1] = b1;
      out[o + 2 * row + 1] = c1;
      out[o + 3 * row + 1] = d1;
    }
  }
}

function tapsOfPairs(U: Float32Array, kernelWidth: number, kernelHeight: number, maps: number): Tap[][] {
  return Array.from({ length: Math.ceil(maps / OUTPUTS) }, (_, pair) => {
    const taps: Tap[] = [];
    for (let v = 0; v < kernelHeight; v++) {
      for (let place = 0; place < kernelWidth * maps; place++) {
        const u = Math.floor(place / maps);
        const weight = (i: number) => (i < maps ? U[((u * kernelHeight + v) * maps + (place % maps)) * maps + i] : 0);
        const weights = [weight(OUTPUTS * pair), weight(OUTPUTS * pair + 1)] as const;
        if (weights[0] !== 0 || weights[1] !== 0) taps.push({ v, place, weights });
      }
    }
    return taps;
  });
}
