// Duel 2048: puts its tiles at home and merges in the direction that brings it most.
// 贰零肆捌：棋子下在自己一侧，朝收益最大的方向合并。
//
//     ludus play duel2048 duel2048.mjs random --watch

import { run } from "ludus";

const ROWS = 4;
const COLUMNS = 8;
const DIRECTIONS = { up: [-1, 0], down: [1, 0], left: [0, -1], right: [0, 1] };

class Duel2048 {
  want = ["legal", "view"];

  start(bout) {
    this.seat = bout.seat;
  }

  move(turn) {
    const sign = this.seat === 0 ? 1 : -1; // "+3" is the first player's 8
    const tiles = turn.view.layers.tiles.map((token) => sign * Number(token));
    const worth = turn.legal.map((move) => this.rate(tiles, move));
    return turn.legal[worth.indexOf(Math.max(...worth))];
  }

  rate(tiles, move) {
    if (move in DIRECTIONS) return this.merged(tiles.slice(), ...DIRECTIONS[move]);
    const [row, column] = move.split(",").map(Number);
    if (this.isHome(column)) return 1;
    // A tile on the other half is the rival's: put it where it hems the rival in.
    return -Object.values(DIRECTIONS).filter(
      ([down, right]) => this.at(tiles, row + down, column + right) === -1,
    ).length;
  }

  isHome(column) {
    return column < COLUMNS / 2 === (this.seat === 0);
  }

  at(tiles, row, column) {
    const inside = row >= 0 && row < ROWS && column >= 0 && column < COLUMNS;
    return inside ? tiles[row * COLUMNS + column] : undefined;
  }

  /** What the tiles are worth after all of ours have moved, the foremost first. */
  merged(tiles, down, right) {
    const made = new Set();
    for (let step = 0; step < tiles.length; step++) {
      const cell = down + right > 0 ? tiles.length - 1 - step : step;
      if (tiles[cell] > 0) this.slide(tiles, made, cell, down, right);
    }
    return tiles
      .map((level) => (level === 0 ? 0.5 : Math.sign(level) * 3 ** Math.abs(level)))
      .reduce((sum, worth) => sum + worth);
  }

  slide(tiles, made, cell, down, right) {
    const level = tiles[cell];
    let [row, column] = [Math.floor(cell / COLUMNS), cell % COLUMNS];
    tiles[cell] = 0;
    while (this.at(tiles, row + down, column + right) === 0 && this.isHome(column + right)) {
      [row, column] = [row + down, column + right];
    }
    const next = (row + down) * COLUMNS + column + right;
    if (Math.abs(this.at(tiles, row + down, column + right)) === level && !made.has(next)) {
      tiles[next] = level + 1;
      made.add(next);
    } else {
      tiles[row * COLUMNS + column] = level;
    }
  }
}

run(new Duel2048());
