// Finds seats by their place without asking the page: the hall is cut into squares that each know their seats.

import { PITCH } from "./hall.js";

const SIDE = 3 * PITCH;

export function layGrid({ count, x, y }) {
  const squares = new Map();
  // Coordinates may be negative and are below a million: one number names a square.
  const name = (column, line) => column * 1_000_003 + line;
  const at = (value) => Math.floor(value / SIDE);
  for (let seat = 0; seat < count; seat += 1) {
    if (Number.isNaN(x[seat])) continue;
    const key = name(at(x[seat]), at(y[seat]));
    const square = squares.get(key);
    if (square) square.push(seat);
    else squares.set(key, [seat]);
  }

  function* inside(left, top, right, bottom) {
    for (let column = at(left); column <= at(right); column += 1)
      for (let line = at(top); line <= at(bottom); line += 1)
        for (const seat of squares.get(name(column, line)) ?? [])
          if (x[seat] >= left && x[seat] <= right && y[seat] >= top && y[seat] <= bottom) yield seat;
  }

  // The seat whose middle is nearest to this place, and not farther than that; -1 if there is none.
  function nearest(placeX, placeY, reach) {
    let best = -1;
    let closest = reach;
    for (const seat of inside(placeX - reach, placeY - reach, placeX + reach, placeY + reach)) {
      const distance = Math.hypot(x[seat] - placeX, y[seat] - placeY);
      if (distance <= closest) [best, closest] = [seat, distance];
    }
    return best;
  }

  return { inside, nearest };
}
