// Ataxx: turns as many pieces as it can, and jumps only where that is worth more than growing.
// 同化棋：尽量多翻转对手的棋子；只有比复制更划算时才跳跃。
//
//     ludus play ataxx ataxx.mjs greedy --watch

import { run } from "ludus";

class Ataxx {
  want = ["legal", "view"];

  start(bout) {
    [this.mine, this.theirs] = bout.seat === 0 ? ["x", "o"] : ["o", "x"];
  }

  move(turn) {
    const board = turn.view.layers.pieces; // row by row: "x", "o", or "" and walls
    this.size = Math.sqrt(board.length);
    const worth = turn.legal.map((move) => this.gain(board, move));
    return turn.legal[worth.indexOf(Math.max(...worth))];
  }

  /** A move is the cell of a new piece ("b1"), or two cells of a jump ("a1c1"). */
  gain(board, move) {
    const cells = move.match(/[a-z]\d+/g);
    if (!cells) return 0; // a pass
    const to = cells.at(-1);
    const column = to.charCodeAt(0) - "a".charCodeAt(0);
    const row = Number(to.slice(1)) - 1;
    const turned = this.around(board, row, column, this.theirs);
    const kept = this.around(board, row, column, this.mine); // friends beside it make it safer
    return 10 * (2 * turned + (cells.length > 1 ? 0 : 1)) + kept;
  }

  around(board, row, column, whose) {
    let count = 0;
    for (let r = Math.max(0, row - 1); r <= Math.min(this.size - 1, row + 1); r++) {
      for (let c = Math.max(0, column - 1); c <= Math.min(this.size - 1, column + 1); c++) {
        if (board[r * this.size + c] === whose) count += 1;
      }
    }
    return count;
  }
}

run(new Ataxx());
