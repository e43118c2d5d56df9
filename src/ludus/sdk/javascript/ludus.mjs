// Ludus for JavaScript: write a bot as an object with one method. Node 18 or later.
//
//     import { run } from "ludus";
//
//     run({ move: (turn) => turn.legal[0] });
//
// ludus play reversi my_bot.mjs random
//
// A bot may have these methods, each of which may be async:
//   match({game, version, seats})                        a match of many bouts begins
//   start({seat, seed, random_seed, options, budget})    a bout begins
//   move({seat, moves, left, mine, limit, legal, view})  answer with a move
//   end({moves, scores, reason, detail})                 the bout is over
// In move, turn.note("the corner") or turn.note({text, score, depth, nodes, line, shapes}) says what
// the bot thinks about this move, for its owner alone.
// and `want`, a list of what it is told at every turn: "legal" (the default) and "view".
// Math.random is seeded from random_seed, so that a bout can be played again exactly; no rival knows
// that seed.
// What it prints with console.log goes to its log; it never disturbs the referee.

import fs from "node:fs";
import process from "node:process";
import tty from "node:tty";

process.stdout.write = process.stderr.write.bind(process.stderr);

/** Answers the referee until it hangs up. */
export async function run(bot) {
  if (tty.isatty(0)) {
    console.error(
      "This is a bot for Ludus and waits for a referee. Try: ludus play GAME THIS_FILE random\n" +
        "这是 Ludus 的 AI，需要由裁判启动，例如：ludus play 游戏 本文件 random",
    );
    process.exit(2);
  }
  const state = { seat: 0 };
  for (let asked = receive(); asked !== null; asked = receive()) {
    let reply;
    try {
      reply = await answer(bot, state, asked);
    } catch (error) {
      reply = failure(error);
    }
    send(reply);
  }
  process.exit(0);
}

async function answer(bot, state, asked) {
  switch (asked.type) {
    case "hello":
      return { type: "hello", protocol: "ludus/1", want: bot.want ?? ["legal"] };
    case "match":
      await bot.match?.(asked);
      break;
    case "start":
      state.seat = asked.seat;
      if (asked.random_seed) Math.random = seeded(asked.random_seed);
      await bot.start?.(asked);
      break;
    case "turn": {
      let note;
      const turn = {
        ...asked,
        seat: state.seat,
        mine: asked.left[state.seat],
        note: (said) => (note = said),
      };
      const move = String(await bot.move(turn));
      return { type: "move", n: asked.n, move, note: shortened(note) };
    }
    case "end":
      await bot.end?.(asked);
      break;
  }
  return { type: "ready" };
}

/** A note that fits into a frame: of a huge one the beginning of its text, which is cut anyway. */
function shortened(note) {
  const most = 1 << 16;
  try {
    if ((JSON.stringify(note)?.length ?? 0) <= most) return note;
  } catch {
    return "(a note that cannot be written as JSON)";
  }
  const text = typeof note === "string" ? note : note.text;
  return typeof text === "string" ? text.slice(0, most / 8) : "(a note that is too long)";
}

/** Same bout, same moves: a bot that draws from Math.random repeats itself. */
function seeded(hex) {
  const [a, b, c, d] = [0, 8, 16, 24].map((at) => parseInt(hex.slice(at, at + 8), 16) | 0);
  const state = Int32Array.of(a, b, c, d | 1); // never all zero
  const turned = (word, by) => (word << by) | (word >>> (32 - by));
  return () => {
    // xoshiro128**
    const drawn = Math.imul(turned(Math.imul(state[1], 5), 7), 9) >>> 0;
    const kept = state[1] << 9;
    state[2] ^= state[0];
    state[3] ^= state[1];
    state[1] ^= state[2];
    state[0] ^= state[3];
    state[2] ^= kept;
    state[3] = turned(state[3], 11);
    return drawn / 2 ** 32;
  };
}

function failure(error) {
  const said = `${error?.name ?? "Error"}: ${error?.message ?? error}`;
  return {
    type: "error",
    kind: "crash",
    en: `it threw ${said}`,
    zh: `抛出 ${said}`,
    trace: String(error?.stack ?? ""),
  };
}

/** The next frame, or null when the referee has hung up. */
function receive() {
  const head = read(4);
  const body = head && read(head.readUInt32BE());
  return body && JSON.parse(body.toString());
}

function read(size) {
  const data = Buffer.alloc(size);
  for (let done = 0; done < size; ) {
    const count = patiently(() => fs.readSync(0, data, done, size - done, null));
    if (count === 0) return null;
    done += count;
  }
  return data;
}

function send(frame) {
  const body = Buffer.from(JSON.stringify(frame));
  const data = Buffer.alloc(4 + body.length);
  data.writeUInt32BE(body.length);
  body.copy(data, 4);
  for (let done = 0; done < data.length; ) {
    done += patiently(() => fs.writeSync(1, data, done));
  }
}

/** Pipes block unless the bot has made them do otherwise; then they are tried again. */
function patiently(action) {
  for (;;) {
    try {
      return action();
    } catch (error) {
      if (error.code !== "EAGAIN") throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
  }
}
