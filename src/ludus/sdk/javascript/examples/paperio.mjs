// Paper.io: takes land in rectangles, and goes home before it can be cut off.
// 纸带圈地：一块块地圈矩形，在被截断之前回家。
//
//     ludus play paperio paperio.mjs random --watch

import { run } from "ludus";

const SIDE = 12; // of a rectangle
const HEADINGS = ["→", "↓", "←", "↑"];
const STEPS = [[1, 0], [0, 1], [-1, 0], [0, -1]];
const TURNS = { S: 0, L: 3, R: 1 };

class Paperio {
  want = ["legal", "view"];

  start(bout) {
    [this.mine, this.theirs] = bout.seat === 0 ? ["1", "2"] : ["2", "1"];
    this.width = 2 * (bout.options.k ?? 51);
    this.height = bout.options.h ?? 101;
    this.walked = 0; // steps since the last turn, while outside
  }

  move(turn) {
    this.look(turn.view.layers);
    this.walked = this.land[this.index(this.me)] ? 0 : this.walked + 1;
    const safe = Object.keys(TURNS).filter((move) => this.isSafe(this.ahead(move)));
    if (safe.length === 0) return "S";
    let chosen = safe[0];
    if (this.inDanger()) {
      const ways = safe.map((move) => this.nearest(this.land, this.ahead(move)));
      chosen = safe[ways.indexOf(Math.min(...ways))];
    } else if (this.walked >= SIDE && safe.includes("L")) {
      chosen = "L";
    }
    if (chosen !== "S") this.walked = 0;
    return chosen;
  }

  look(layers) {
    this.land = layers.land.map((owner) => owner === this.mine);
    this.band = layers.bands.map((owner) => owner === this.mine);
    const me = layers.heads.findIndex((head) => head.startsWith(this.mine)); // "1→"
    this.heading = HEADINGS.indexOf(layers.heads[me].slice(1));
    this.me = this.cell(me);
    this.rival = this.cell(layers.heads.findIndex((head) => head.startsWith(this.theirs)));
  }

  cell(index) {
    return [index % this.width, Math.floor(index / this.width)];
  }
  index([x, y]) {
    return y * this.width + x;
  }

  ahead(move) {
    const [dx, dy] = STEPS[(this.heading + TURNS[move]) % 4];
    return [this.me[0] + dx, this.me[1] + dy];
  }

  /** On the field and not on our own band. */
  isSafe([x, y]) {
    const inside = x >= 0 && x < this.width && y >= 0 && y < this.height;
    return inside && !this.band[this.index([x, y])];
  }

  /** Steps from a cell to the nearest one of ours, as the crow flies. */
  nearest(layer, [x, y]) {
    let least = this.width + this.height;
    layer.forEach((ours, index) => {
      if (!ours) return;
      const [column, row] = [index % this.width, Math.floor(index / this.width)];
      least = Math.min(least, Math.abs(column - x) + Math.abs(row - y));
    });
    return least;
  }

  /** Whether the rival is nearly as near to our band as we are to our land. */
  inDanger() {
    if (this.land[this.index(this.me)]) return false;
    return this.nearest(this.band, this.rival) <= this.nearest(this.land, this.me) + 4;
  }
}

run(new Paperio());
