/** GIF89a, written from pictures: one palette for all, and of each picture only what changed. */

/** Codes of at most so many bits. */
const LONGEST = 12;

export class GifWriter {
  private readonly bytes: number[] = [];
  private readonly parts: Uint8Array[] = [];
  private palette: Uint8Array | null = null;
  private readonly nearest = new Map<number, number>();
  private before: Uint8Array | null = null;

  constructor(
    private readonly width: number,
    private readonly height: number,
    samples: Uint8ClampedArray[],
  ) {
    this.palette = paletteOf(samples);
    this.text("GIF89a");
    this.short(width);
    this.short(height);
    this.bytes.push(0xf7, 0, 0); // a palette of 256 colours
    for (const part of this.palette) this.bytes.push(part);
    this.bytes.push(0x21, 0xff, 11);
    this.text("NETSCAPE2.0");
    this.bytes.push(3, 1, 0, 0, 0); // for ever
  }

  /** Adds a picture (RGBA) that stays for `delay` hundredths of a second. */
  add(pixels: Uint8ClampedArray, delay: number): void {
    const indexes = this.indexed(pixels);
    const [left, top, right, bottom] = this.changed(indexes);
    const [wide, high] = [right - left + 1, bottom - top + 1];
    this.bytes.push(0x21, 0xf9, 4, 0x04);
    this.short(delay);
    this.bytes.push(0, 0, 0x2c);
    for (const number of [left, top, wide, high]) this.short(number);
    this.bytes.push(0, 8);
    const cut = new Uint8Array(wide * high);
    for (let y = 0; y < high; y++) {
      const from = (top + y) * this.width + left;
      cut.set(indexes.subarray(from, from + wide), y * wide);
    }
    this.flush();
    this.parts.push(blocks(compress(cut)));
    this.before = indexes;
  }

  finish(): Uint8Array<ArrayBuffer> {
    this.bytes.push(0x3b);
    this.flush();
    const whole = new Uint8Array(this.parts.reduce((sum, part) => sum + part.length, 0));
    let place = 0;
    for (const part of this.parts) {
      whole.set(part, place);
      place += part.length;
    }
    return whole;
  }

  private flush(): void {
    this.parts.push(Uint8Array.from(this.bytes));
    this.bytes.length = 0;
  }

  private text(text: string): void {
    for (const letter of text) this.bytes.push(letter.charCodeAt(0));
  }

  private short(value: number): void {
    this.bytes.push(value & 255, value >> 8);
  }

  private indexed(pixels: Uint8ClampedArray): Uint8Array {
    const found = new Uint8Array(pixels.length / 4);
    for (let i = 0; i < found.length; i++) {
      const key = (pixels[4 * i] << 16) | (pixels[4 * i + 1] << 8) | pixels[4 * i + 2];
      let index = this.nearest.get(key);
      if (index === undefined) {
        index = closest(this.palette!, key);
        this.nearest.set(key, index);
      }
      found[i] = index;
    }
    return found;
  }

  private changed(indexes: Uint8Array): [number, number, number, number] {
    if (!this.before) return [0, 0, this.width - 1, this.height - 1];
    let [left, top, right, bottom] = [this.width, this.height, 0, 0];
    for (let y = 0, i = 0; y < this.height; y++) {
      for (let x = 0; x < this.width; x++, i++) {
        if (indexes[i] === this.before[i]) continue;
        if (x < left) left = x;
        if (x > right) right = x;
        if (y < top) top = y;
        bottom = y;
      }
    }
    return left > right ? [0, 0, 0, 0] : [left, top, right, bottom];
  }
}

/** The 256 colours that stand for all: boxes of colours are cut in two at their longest side. */
function paletteOf(samples: Uint8ClampedArray[]): Uint8Array {
  const counts = new Map<number, number>();
  for (const pixels of samples) {
    for (let i = 0; i < pixels.length; i += 4) {
      const key = (pixels[i] << 16) | (pixels[i + 1] << 8) | pixels[i + 2];
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  }
  const boxes: Box[] = [new Box([...counts])];
  while (boxes.length < 256) {
    const widest = boxes.reduce((a, b) => (b.weight > a.weight ? b : a));
    if (widest.weight === 0) break;
    boxes.splice(boxes.indexOf(widest), 1, ...widest.cut());
  }
  const palette = new Uint8Array(768);
  boxes.forEach((box, index) => palette.set(box.mean(), 3 * index));
  return palette;
}

class Box {
  readonly weight: number;
  private readonly shift: number;

  constructor(private readonly colours: [number, number][]) {
    const spans = [16, 8, 0].map((shift) => {
      let [low, high] = [255, 0];
      for (const [colour] of colours) {
        const part = (colour >> shift) & 255;
        if (part < low) low = part;
        if (part > high) high = part;
      }
      return high - low;
    });
    const longest = Math.max(...spans);
    this.shift = [16, 8, 0][spans.indexOf(longest)];
    const pixels = colours.reduce((sum, [, count]) => sum + count, 0);
    this.weight = colours.length > 1 ? longest * Math.sqrt(pixels) : 0;
  }

  cut(): [Box, Box] {
    const part = (colour: number): number => (colour >> this.shift) & 255;
    this.colours.sort(([a], [b]) => part(a) - part(b));
    const half = this.colours.reduce((sum, [, count]) => sum + count, 0) / 2;
    let place = 0;
    for (let seen = 0; place < this.colours.length - 1 && seen < half; place++) {
      seen += this.colours[place][1];
    }
    const at = Math.max(1, Math.min(place, this.colours.length - 1));
    return [new Box(this.colours.slice(0, at)), new Box(this.colours.slice(at))];
  }

  mean(): [number, number, number] {
    const sums = [0, 0, 0];
    let all = 0;
    for (const [colour, count] of this.colours) {
      all += count;
      [16, 8, 0].forEach((shift, i) => (sums[i] += ((colour >> shift) & 255) * count));
    }
    return sums.map((sum) => Math.round(sum / Math.max(all, 1))) as [number, number, number];
  }
}

function closest(palette: Uint8Array, key: number): number {
  const [r, g, b] = [key >> 16, (key >> 8) & 255, key & 255];
  let [best, least] = [0, Infinity];
  for (let i = 0; i < 256; i++) {
    const [dr, dg, db] = [palette[3 * i] - r, palette[3 * i + 1] - g, palette[3 * i + 2] - b];
    const distance = 2 * dr * dr + 4 * dg * dg + 3 * db * db;
    if (distance < least) [best, least] = [i, distance];
  }
  return best;
}

/** LZW with codes that grow from 9 to 12 bits. */
function compress(indexes: Uint8Array): Uint8Array {
  const CLEAR = 256;
  const out: number[] = [];
  let [bits, held] = [0, 0];
  let size = 9;
  const table = new Int16Array(4096 * 256).fill(-1);
  const used: number[] = [];
  let next = CLEAR + 2;
  const emit = (code: number): void => {
    held |= code << bits;
    bits += size;
    while (bits >= 8) {
      out.push(held & 255);
      held >>>= 8;
      bits -= 8;
    }
  };
  emit(CLEAR);
  let prefix = indexes[0];
  for (let i = 1; i < indexes.length; i++) {
    const slot = prefix * 256 + indexes[i];
    if (table[slot] >= 0) {
      prefix = table[slot];
      continue;
    }
    emit(prefix);
    if (next < 1 << LONGEST) {
      table[slot] = next;
      used.push(slot);
      if (next === 1 << size && size < LONGEST) size++;
      next++;
    } else {
      emit(CLEAR);
      for (const old of used) table[old] = -1;
      used.length = 0;
      next = CLEAR + 2;
      size = 9;
    }
    prefix = indexes[i];
  }
  emit(prefix);
  emit(CLEAR + 1);
  if (bits > 0) out.push(held & 255);
  return Uint8Array.from(out);
}

/** Data in blocks of at most 255 bytes, an empty one last. */
function blocks(data: Uint8Array): Uint8Array {
  const count = Math.ceil(data.length / 255);
  const out = new Uint8Array(data.length + count + 1);
  let place = 0;
  for (let i = 0; i < data.length; i += 255) {
    const piece = data.subarray(i, i + 255);
    out[place++] = piece.length;
    out.set(piece, place);
    place += piece.length;
  }
  return out;
}
