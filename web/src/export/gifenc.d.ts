/** The part of gifenc, which comes without types, that is used here. */
declare module "gifenc" {
  type Colour = [red: number, green: number, blue: number];

  interface FrameOptions {
    /** The colour table; the first frame's is used for frames without one. */
    palette?: Colour[];
    transparent?: boolean;
    transparentIndex?: number;
    /** Milliseconds. */
    delay?: number;
    /** What happens to the frame after its time; 1: it stays. */
    dispose?: number;
  }

  interface Encoder {
    writeFrame(index: Uint8Array, width: number, height: number, options?: FrameOptions): void;
    finish(): void;
    bytes(): Uint8Array<ArrayBuffer>;
  }

  export function GIFEncoder(): Encoder;
  export function quantize(rgba: Uint8Array | Uint8ClampedArray, maxColours: number): Colour[];
  export function applyPalette(rgba: Uint8Array | Uint8ClampedArray, palette: Colour[]): Uint8Array;
}
