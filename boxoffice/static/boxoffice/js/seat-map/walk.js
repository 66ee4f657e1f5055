// Where an arrow key leads from a seat: along its row, or to the next row, whichever way the rows run on the map.

export const WAYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

const ASIDE = 2.5; // how much a step to the side weighs against a step ahead
const ALONG = 0.64; // the cosine of fifty degrees: a neighbour in the row that lies so far off the arrow is still meant

export function step(hall, from, [dx, dy]) {
  const { x, y } = hall;
  const row = hall.rows[hall.rowOf[from]];
  for (const next of [from - 1, from + 1]) {
    if (next < row.first || next >= row.end) continue;
    const [right, down] = [x[next] - x[from], y[next] - y[from]];
    if (right * dx + down * dy > ALONG * Math.hypot(right, down)) return next;
  }
  let best = from;
  let least = Infinity;
  for (let seat = 0; seat < hall.count; seat += 1) {
    const ahead = (x[seat] - x[from]) * dx + (y[seat] - y[from]) * dy;
    const aside = Math.abs((x[seat] - x[from]) * dy) + Math.abs((y[seat] - y[from]) * dx);
    if (ahead > 1 && ahead + ASIDE * aside < least) [best, least] = [seat, ahead + ASIDE * aside];
  }
  return best;
}
