/** SHA-256 (FIPS 180-4). Browsers have one, but only for pages that come by https or from this machine. */

const FIRST_PRIMES = Array.from({ length: 312 }, (_, k) => k).filter(isPrime); // 64 of them
const K = Uint32Array.from(FIRST_PRIMES, (prime) => fraction(Math.cbrt(prime)));
const START = Uint32Array.from(FIRST_PRIMES.slice(0, 8), (prime) => fraction(Math.sqrt(prime)));
const BLOCK = 64;

/** The digest of bytes that follow each other, in hexadecimal. */
export function sha256(parts: readonly Uint8Array[]): string {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const bytes = new Uint8Array(Math.ceil((length + 9) / BLOCK) * BLOCK);
  let end = 0;
  for (const part of parts) {
    bytes.set(part, end);
    end += part.length;
  }
  bytes[end] = 0x80;
  const view = new DataView(bytes.buffer);
  view.setBigUint64(bytes.length - 8, BigInt(length) * 8n);
  const [state, words] = [START.slice(), new Uint32Array(BLOCK)];
  for (let start = 0; start < bytes.length; start += BLOCK) compress(state, words, view, start);
  return Array.from(state, (word) => word.toString(16).padStart(8, "0")).join("");
}

function compress(state: Uint32Array, w: Uint32Array, view: DataView, start: number): void {
  for (let t = 0; t < 16; t++) w[t] = view.getUint32(start + 4 * t);
  for (let t = 16; t < BLOCK; t++) {
    const s0 = turn(w[t - 15], 7) ^ turn(w[t - 15], 18) ^ (w[t - 15] >>> 3);
    const s1 = turn(w[t - 2], 17) ^ turn(w[t - 2], 19) ^ (w[t - 2] >>> 10);
    w[t] = w[t - 16] + s0 + w[t - 7] + s1;
  }
  let [a, b, c, d, e, f, g, h] = state;
  for (let t = 0; t < BLOCK; t++) {
    const sum1 = turn(e, 6) ^ turn(e, 11) ^ turn(e, 25);
    const t1 = (h + sum1 + ((e & f) ^ (~e & g)) + K[t] + w[t]) | 0;
    const sum0 = turn(a, 2) ^ turn(a, 13) ^ turn(a, 22);
    const t2 = (sum0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + t1) | 0, c, b, a, (t1 + t2) | 0];
  }
  [a, b, c, d, e, f, g, h].forEach((word, k) => {
    state[k] += word;
  });
}

function turn(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits));
}

/** The first 32 bits of what follows the point. */
function fraction(root: number): number {
  return Math.floor((root - Math.floor(root)) * 2 ** 32);
}

function isPrime(number: number): boolean {
  if (number < 2) return false;
  for (let divisor = 2; divisor * divisor <= number; divisor++) if (number % divisor === 0) return false;
  return true;
}
