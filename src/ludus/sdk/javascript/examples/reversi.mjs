// Reversi: takes corners, gives none away, and leaves the rival few answers.
// 黑白棋：抢角，不送角，让对手可走之处尽量少。
//
//     ludus play reversi reversi.mjs greedy --watch

import { run } from "ludus";

const AROUND = [-1, 0, 1].flatMap((down) => [-1, 0, 1].map((right) => [down, right]));

class Reversi {
  want = ["legal", "view"];

  start(bout) {
    [this.mine, this.theirs] = bout.seat === 0 ? ["x", "o"] : ["o", "x"];
  }

  move(turn) {
    const board = turn.view.layers.discs; // row by row: "x", "o" or ""
    this.size = Math.sqrt(board.length);
    const bad = turn.legal.map((move) => this.badness(board, move));
    return turn.legal[bad.indexOf(Math.min(...bad))];
  }

  badness(board, move) {
    const column = move.charCodeAt(0) - "a".charCodeAt(0);
    const row = Number(move.slice(1)) - 1;
    const after = this.put(board, row, column, this.mine, this.theirs);
    let answers = 0;
    for (let r = 0; r < this.size; r++) {
      for (let c = 0; c < this.size; c++) {
        if (this.put(after, r, c, this.theirs, this.mine)) answers += this.isCorner(r, c) ? 30 : 1;
      }
    }
    return this.isCorner(row, column) ? answers - 100 : answers;
  }

  isCorner(row, column) {
    const last = this.size - 1;
    return (row === 0 || row === last) && (column === 0 || column === last);
  }

  /** The board with one disc more and what it encloses turned; null if it encloses nothing. */
  put(board, row, column, own, other) {
    if (board[row * this.size + column]) return null;
    const turned = AROUND.flatMap(([down, right]) =>
      this.enclosed(board, row, column, down, right, own, other),
    );
    if (turned.length === 0) return null;
    const after = board.slice();
    for (const cell of [...turned, row * this.size + column]) after[cell] = own;
    return after;
  }

  enclosed(board, row, column, down, right, own, other) {
    for (const found = []; down || right; ) {
      row += down;
      column += right;
      const inside = row >= 0 && row < this.size && column >= 0 && column < this.size;
      const disc = inside ? board[row * this.size + column] : "";
      if (disc === own) return found;
      if (disc !== other) return [];
      found.push(row * this.size + column);
    }
    return [];
  }
}

run(new Reversi());
