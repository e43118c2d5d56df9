/** WebM, written from encoded pictures: just enough Matroska for one silent track. */

type Content = Uint8Array | number[] | Element[];
type Element = [id: number, content: Content | string | number];

export interface Packet {
  data: Uint8Array;
  /** Milliseconds from the start. */
  time: number;
  key: boolean;
}

/** A block's time counts from its cluster in 16 bits. */
const LONGEST_CLUSTER = 30_000;

export function webm(
  packets: Packet[],
  width: number,
  height: number,
  codec: "V_VP8" | "V_VP9",
  duration: number,
): Blob {
  const head = element([
    0x1a45dfa3,
    [
      [0x4286, 1],
      [0x42f7, 1],
      [0x42f2, 4],
      [0x42f3, 8],
      [0x4282, "webm"],
      [0x4287, 4],
      [0x4285, 2],
    ] as Element[],
  ]);
  const info: Element = [
    0x1549a966,
    [
      [0x2ad7b1, 1_000_000],
      [0x4489, float(duration)],
      [0x4d80, "Ludus"],
      [0x5741, "Ludus"],
    ],
  ];
  const tracks: Element = [
    0x1654ae6b,
    [
      [
        0xae,
        [
          [0xd7, 1],
          [0x73c5, 1],
          [0x83, 1],
          [0x86, codec],
          [
            0xe0,
            [
              [0xb0, width],
              [0xba, height],
            ],
          ],
        ],
      ],
    ] as unknown as Element[],
  ];
  const segment = element([0x18538067, [info, tracks, ...clusters(packets)]]);
  return new Blob([head as BlobPart, segment as BlobPart], { type: "video/webm" });
}

function clusters(packets: Packet[]): Element[] {
  const found: Element[] = [];
  let blocks: Element[] = [];
  let start = 0;
  for (const packet of packets) {
    if (!blocks.length || packet.key || packet.time - start > LONGEST_CLUSTER) {
      start = Math.round(packet.time);
      blocks = [[0xe7, start]];
      found.push([0x1f43b675, blocks]);
    }
    const after = Math.round(packet.time) - start;
    const block = new Uint8Array(4 + packet.data.length);
    block.set([0x81, after >> 8, after & 255, packet.key ? 0x80 : 0]);
    block.set(packet.data, 4);
    blocks.push([0xa3, block]);
  }
  return found;
}

function element([id, content]: Element): Uint8Array {
  const body = bodyOf(content);
  return join([unsigned(id), length(body.length), body]);
}

function bodyOf(content: Element[1]): Uint8Array {
  if (typeof content === "string") return new TextEncoder().encode(content);
  if (typeof content === "number") return unsigned(content);
  if (content instanceof Uint8Array) return content;
  if (content.length && Array.isArray(content[0])) return join((content as Element[]).map(element));
  return Uint8Array.from(content as number[]);
}

function unsigned(value: number): Uint8Array {
  const bytes: number[] = [];
  for (let rest = value; rest >= 1 || !bytes.length; rest = Math.floor(rest / 256)) {
    bytes.unshift(rest % 256);
  }
  return Uint8Array.from(bytes);
}

/** A length in eight bytes, marked as such by the first. */
function length(value: number): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(value));
  bytes[0] = 1;
  return bytes;
}

function float(value: number): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setFloat64(0, value);
  return bytes;
}

function join(parts: Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let place = 0;
  for (const part of parts) {
    whole.set(part, place);
    place += part.length;
  }
  return whole;
}
