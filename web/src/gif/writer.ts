/** A writer of animated GIFs from pictures that are already palette numbers. */

export interface Palette {
  /** Red, green and blue of up to 256 colours. */
  readonly colours: readonly (readonly [number, number, number])[];
}

const MOST_CODES = 4096;
const COLOUR_BITS = 8;

export class GifWriter {
  private readonly parts: Uint8Array<ArrayBuffer>[] = [];

  constructor(
    private readonly width: number,
    private readonly height: number,
    palette: Palette,
  ) {
    const table = new Uint8Array(3 * 256);
    palette.colours.forEach((colour, i) => {
      table.set(colour, 3 * i);
    });
    this.text("GIF89a");
    this.bytes(...word(width), ...word(height), 0xf0 | (COLOUR_BITS - 1), 0, 0);
    this.parts.push(table);
    this.bytes(0x21, 0xff, 11);
    this.text("NETSCAPE2.0");
    this.bytes(3, 1, 0, 0, 0); // repeat for ever
  }

  /** Add a picture (height, width) that stands for a number of hundredths of a second. */
  add(pixels: Uint8Array, hundredths: number): void {
    this.bytes(0x21, 0xf9, 4, 4, ...word(hundredths), 0, 0);
    this.bytes(0x2c, 0, 0, 0, 0, ...word(this.width), ...word(this.height), 0, COLOUR_BITS);
    const data = compress(pixels);
    for (let from = 0; from < data.length; from += 255) {
      const block = data.subarray(from, from + 255);
      this.bytes(block.length);
      this.parts.push(block);
    }
    this.bytes(0);
  }

  finish(): Blob {
    this.bytes(0x3b);
    return new Blob(this.parts, { type: "image/gif" });
  }

  private bytes(...values: number[]): void {
    this.parts.push(Uint8Array.from(values));
  }

  private text(value: string): void {
    this.bytes(...Array.from(value, (character) => character.charCodeAt(0)));
  }
}

function word(value: number): [number, number] {
  return [value & 0xff, (value >> 8) & 0xff];
}

/** LZW with 8-bit symbols, as GIF has it: codes from 9 to 12 bits, least significant bit first. */
function compress(pixels: Uint8Array): Uint8Array<ArrayBuffer> {
  const [clear, end] = [1 << COLOUR_BITS, (1 << COLOUR_BITS) + 1];
  const out = new BitWriter(pixels.length + 16);
  const children = new Uint16Array(MOST_CODES << COLOUR_BITS); // the code of (prefix, symbol); 0: none
  let [bits, next] = [COLOUR_BITS + 1, end + 1];
  out.write(clear, bits);
  let prefix = pixels[0];
  for (let i = 1; i < pixels.length; i++) {
    const key = (prefix << COLOUR_BITS) | pixels[i];
    if (children[key]) {
      prefix = children[key];
      continue;
    }
    out.write(prefix, bits);
    prefix = pixels[i];
    if (next === MOST_CODES) {
      out.write(clear, bits);
      children.fill(0);
      [bits, next] = [COLOUR_BITS + 1, end + 1];
    } else {
      if (next === 1 << bits) bits++;
      children[key] = next++;
    }
  }
  out.write(prefix, bits);
  out.write(end, bits);
  return out.finish();
}

class BitWriter {
  private readonly data: Uint8Array<ArrayBuffer>;
  private length = 0;
  private held = 0;
  private count = 0;

  /** Codes take at most 12 bits for each of `symbols`. */
  constructor(symbols: number) {
    this.data = new Uint8Array(2 * symbols + 16);
  }

  write(code: number, bits: number): void {
    this.held |= code << this.count;
    this.count += bits;
    for (; this.count >= 8; this.count -= 8) {
      this.data[this.length++] = this.held & 0xff;
      this.held >>>= 8;
    }
  }

  finish(): Uint8Array<ArrayBuffer> {
    if (this.count > 0) this.data[this.length++] = this.held & 0xff;
    return this.data.subarray(0, this.length);
  }
}
