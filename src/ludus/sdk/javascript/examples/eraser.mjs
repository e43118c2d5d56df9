// Eraser: takes the swap that scores most.
// 星际消战：选择得分最多的交换。
//
//     ludus play eraser eraser.mjs random --watch

import { run } from "ludus";

const SIDE = 6; // of the main board; what is shown above it falls down into it
const STEPS = [[1, 0], [-1, 0], [0, 1], [0, -1]];

class Eraser {
  want = ["legal", "view"];

  move(turn) {
    const pieces = turn.view.layers.pieces;
    const rows = pieces.length / SIDE;
    const columns = Array.from({ length: SIDE }, (_, x) =>
      Array.from({ length: rows }, (_, y) => pieces[(rows - 1 - y) * SIDE + x]),
    ); // each from the bottom up
    const points = turn.legal.map((move) => this.score(columns, move));
    return turn.legal[points.indexOf(Math.max(...points))];
  }

  /** The points of a swap and of all that falls into place after it. */
  score(columns, move) {
    const after = columns.map((column) => column.slice());
    const [x1, y1, x2, y2] = Array.from(move, Number);
    [after[x1][y1], after[x2][y2]] = [after[x2][y2], after[x1][y1]];
    for (let points = 0; ; ) {
      const regions = this.regions(after);
      if (regions.length === 0) return points;
      for (const region of regions) points += (region.length - 2) ** 2;
      this.erase(after, regions.flat());
    }
  }

  erase(columns, cells) {
    const gone = new Set(cells);
    for (let x = 0; x < SIDE; x++) {
      const kept = columns[x].filter((_, y) => y >= SIDE || !gone.has(x * SIDE + y));
      while (kept.length < columns[x].length) kept.push(""); // nobody knows what falls down
      columns[x] = kept;
    }
  }

  /** The regions that vanish: connected, of one colour, with three in a line. */
  regions(columns) {
    const seen = new Set();
    const found = [];
    for (let x = 0; x < SIDE; x++) {
      for (let y = 0; y < SIDE; y++) {
        if (!columns[x][y] || seen.has(x * SIDE + y)) continue;
        const region = this.spread(columns, x, y, seen);
        if (this.hasLine(region)) found.push(region);
      }
    }
    return found;
  }

  spread(columns, x, y, seen) {
    seen.add(x * SIDE + y);
    const region = [x * SIDE + y];
    for (const [right, up] of STEPS) {
      const [i, j] = [x + right, y + up];
      const inside = i >= 0 && i < SIDE && j >= 0 && j < SIDE;
      if (inside && !seen.has(i * SIDE + j) && columns[i][j] === columns[x][y]) {
        region.push(...this.spread(columns, i, j, seen));
      }
    }
    return region;
  }

  hasLine(region) {
    const has = new Set(region);
    return region.some((cell) => {
      const upright = cell % SIDE < SIDE - 2 && has.has(cell + 1) && has.has(cell + 2);
      return upright || (has.has(cell + SIDE) && has.has(cell + 2 * SIDE));
    });
  }
}

run(new Eraser());
