// Which single seats a choice would leave behind: the rule of inventory/lone_seats.py, which tells it in full. Both are
// held to the same table of examples, tests/unit/inventory/lone_seats.json.

const AISLE = 1.6; // neighbours farther apart than this many times the usual distance have an aisle between them

// `row`: {x, y, state} in the order of the plan, state "free", "chosen" or "taken". Returns indexes in the row.
export function loneSeats(row) {
  return gaps(row).flatMap((gap) => {
    const left = new Set(gap.filter((at) => row[at].state === "free"));
    if (left.size <= 1 || left.size === gap.length) return [];
    return gap.filter((at) => left.has(at) && !left.has(at - 1) && !left.has(at + 1));
  });
}

function gaps(row) {
  const distances = row.slice(1).map((spot, at) => Math.hypot(spot.x - row[at].x, spot.y - row[at].y));
  const widest = AISLE * ([...distances].sort((a, b) => a - b)[distances.length >> 1] ?? 0);
  const found = [];
  let gap = [];
  row.forEach((spot, at) => {
    if (gap.length && (spot.state === "taken" || distances[at - 1] > widest)) {
      found.push(gap);
      gap = [];
    }
    if (spot.state !== "taken") gap.push(at);
  });
  return gap.length ? [...found, gap] : found;
}

// The seats of the hall that what is chosen now would leave alone, in the order of the plan.
export function leftAlone(hall, seats) {
  const rows = new Set(seats.chosen().map((seat) => hall.rows[hall.rowOf[seat]]));
  return [...rows].sort((a, b) => a.at - b.at).flatMap((row) => leftIn(hall, seats, row));
}

function leftIn(hall, seats, { first, end, zone }) {
  if (hall.zones[zone].standing) return [];
  const spots = [];
  for (let seat = first; seat < end; seat += 1) {
    const state = seats.stateOf(seat);
    const counts = (state === "free" || state === "chosen") && !hall.tiers[hall.tierOf[seat]].wheelchair;
    spots.push({ x: hall.x[seat], y: hall.y[seat], state: counts ? state : "taken" });
  }
  return loneSeats(spots).map((at) => first + at);
}
