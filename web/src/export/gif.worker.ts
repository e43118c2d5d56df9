/** Writes a GIF away from the page, so that the page stays awake. */

import { GifWriter } from "./gif";

export type GifOrder =
  | { kind: "start"; width: number; height: number; samples: Uint8ClampedArray[] }
  | { kind: "add"; pixels: Uint8ClampedArray; delay: number }
  | { kind: "finish" };

let writer: GifWriter | null = null;

addEventListener("message", (event: MessageEvent<GifOrder>) => {
  const order = event.data;
  if (order.kind === "start") writer = new GifWriter(order.width, order.height, order.samples);
  else if (order.kind === "add") writer!.add(order.pixels, order.delay);
  else {
    const bytes = writer!.finish();
    postMessage({ kind: "done", bytes }, { transfer: [bytes.buffer] });
    return;
  }
  postMessage({ kind: "ready" });
});
