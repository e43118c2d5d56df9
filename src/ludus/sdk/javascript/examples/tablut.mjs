// Tablut: brings the king to the border or takes him, else captures and minds the king's ways out.
// 塔布鲁特棋：王能到边就走，能擒王就擒，否则吃子，并留意王的出路。
//
//     ludus play tablut tablut.mjs random --watch

import { run } from "ludus";

const STEPS = [[1, 0], [-1, 0], [0, 1], [0, -1]];

class Tablut {
  want = ["legal", "view"];

  start(bout) {
    this.attacks = bout.seat === 1;
  }

  move(turn) {
    this.size = Math.sqrt(turn.view.layers.pieces.length);
    const rated = turn.legal.map((move) => {
      this.board = turn.view.layers.pieces.slice(); // row by row from the top
      return this.rate(move) + 0.5 * Math.random();
    });
    return turn.legal[rated.indexOf(Math.max(...rated))];
  }

  rate(move) {
    const [from, to] = move.match(/[a-z]\d+/g).map((name) => this.cell(name));
    const piece = this.at(from);
    this.set(from, "");
    this.set(to, piece);
    const worth = piece === "K" && this.onBorder(to) ? 1000 : this.captures(to);
    const ways = this.waysOut();
    return worth + (this.attacks ? -50 * ways : 5 * ways);
  }

  /** What stands between our piece and another of ours; the king counts most. */
  captures([x, y]) {
    let worth = 0;
    for (const [right, down] of STEPS) {
      const next = [x + right, y + down];
      const beyond = [x + 2 * right, y + 2 * down];
      if (!this.inside(beyond) || !this.isTheirs(this.at(next)) || !this.isOurs(this.at(beyond))) {
        continue;
      }
      worth += this.at(next) === "K" ? 1000 : 10;
      this.set(next, "");
    }
    return worth;
  }

  /** In how many directions the king can walk to the border. */
  waysOut() {
    const king = this.board.indexOf("K");
    if (king < 0) return 0;
    return STEPS.filter(([right, down]) => {
      let [x, y] = [(king % this.size) + right, Math.floor(king / this.size) + down];
      while (this.inside([x, y]) && !this.at([x, y])) [x, y] = [x + right, y + down];
      return !this.inside([x, y]);
    }).length;
  }

  cell(name) {
    return [name.charCodeAt(0) - "a".charCodeAt(0), this.size - Number(name.slice(1))];
  }
  at([x, y]) {
    return this.board[y * this.size + x];
  }
  set([x, y], piece) {
    this.board[y * this.size + x] = piece;
  }
  inside([x, y]) {
    return x >= 0 && x < this.size && y >= 0 && y < this.size;
  }
  onBorder([x, y]) {
    return x === 0 || y === 0 || x === this.size - 1 || y === this.size - 1;
  }
  isOurs(piece) {
    return this.attacks ? piece === "a" : piece === "d" || piece === "K";
  }
  isTheirs(piece) {
    return piece !== "" && !this.isOurs(piece);
  }
}

run(new Tablut());
