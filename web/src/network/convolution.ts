/** U * s + B of the paper, over a mental image of n x w cells with m numbers each and zeros outside.
 *
 * This is where all of the time goes. Four cells and two outputs at a time keep their eight sums in registers, and
 * Float64Array spares the conversion that every read of a Float32Array costs.
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

export class Convolution {
  /** (pair of outputs, height, width, input, output of the pair): in the order in which they are read. */
  private readonly weights: Float64Array;
  private readonly bias: Float64Array;

  /** A kernel bank U (k_w, k_h, from, to) and a bias for each map. */
  constructor(
    U: Float32Array,
    private readonly kernelWidth: number,
    private readonly kernelHeight: number,
    private readonly maps: number,
    bias: Float32Array,
    extraBias = 0,
  ) {
    this.weights = pack(U, kernelWidth, kernelHeight, maps);
    this.bias = new Float64Array(OUTPUTS * Math.ceil(maps / OUTPUTS));
    for (let i = 0; i < maps; i++) this.bias[i] = bias[i] + extraBias;
  }

  apply(image: PaddedImage, out: Float64Array): void {
    const { n, width } = image.shape;
    for (let first = 0; first < this.maps; first += OUTPUTS) {
      for (let x = 0; x < width; x++) {
        for (let y = 0; y < n; y += CELLS) this.applyBlock(image, out, first, x, y);
      }
    }
  }

  /** Outputs `first` and the one after it, at four cells from y on in column x. */
  private applyBlock(image: PaddedImage, out: Float64Array, first: number, x: number, y: number): void {
    const { weights, maps } = this;
    const { data, stride } = image;
    const run = this.kernelWidth * maps; // the numbers of a kernel's row stand side by side in the image
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
    let q = first * this.kernelHeight * run;
    for (let v = 0; v < this.kernelHeight; v++) {
      let p = (y + v) * stride + x * maps;
      for (const end = p + run; p < end; p++) {
        const w0 = weights[q];
        const w1 = weights[q + 1];
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
        q += OUTPUTS;
      }
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

function pack(U: Float32Array, kernelWidth: number, kernelHeight: number, maps: number): Float64Array {
  const pairs = Math.ceil(maps / OUTPUTS);
  const packed = new Float64Array(pairs * kernelHeight * kernelWidth * maps * OUTPUTS);
  let to = 0;
  for (let pair = 0; pair < pairs; pair++) {
    for (let v = 0; v < kernelHeight; v++) {
      for (let u = 0; u < kernelWidth; u++) {
        for (let c = 0; c < maps; c++) {
          for (let i = pair * OUTPUTS; i < (pair + 1) * OUTPUTS; i++) {
            packed[to++] = i < maps ? U[((u * kernelHeight + v) * maps + c) * maps + i] : 0;
          }
        }
      }
    }
  }
  return packed;
}
