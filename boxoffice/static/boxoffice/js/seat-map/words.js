// What the map and the list say of a seat. The server sends the words, already translated, as data attributes.

import { phrase } from "../phrase.js";

const JOINED = "\u2060–\u2060"; // a dash at which no line is broken

export function speak(hall, source) {
  const said = source.dataset;
  const inRow = (row) => (row.name ? said.row.replace("%s", row.name) : "");

  function placeOf(seat) {
    const number = hall.number[seat] && said.seat.replace("%s", hall.number[seat]);
    return [hall.zones[hall.zoneOf[seat]].name, inRow(hall.rows[hall.rowOf[seat]]), number].filter(Boolean).join(", ");
  }

  function inFewWords(row, seats) {
    const numbers = stretches(seats.map((seat) => hall.number[seat]));
    const words = seats.length === 1 ? said.seat : said.seats;
    return [inRow(row), words.replace("%s", numbers.join(", "))].filter(Boolean).join(", ");
  }

  return {
    placeOf,
    stage: said.stage,
    howMany: said.howMany,
    rows: said.rows,
    rowAlone: (row) => said.rowAlone.replace("%s", row.name),
    tierOf: (seat) => hall.tiers[hall.tierOf[seat]],
    // Several seats in few words, row by row: "row 11, seats 15–16 · row 12, seat 3". Of a single row it also tells the
    // zone, in the order of the plan whichever was chosen first.
    shortly(seats) {
      const ordered = [...seats].sort((a, b) => a - b);
      const rows = [...new Set(ordered.map((seat) => hall.rowOf[seat]))];
      const told = rows.map((at) => inFewWords(hall.rows[at], ordered.filter((seat) => hall.rowOf[seat] === at)));
      const zone = rows.length === 1 ? hall.zones[hall.rows[rows[0]].zone].name : "";
      return { zone, rows: told.join(" · ") };
    },
    state: (name) => said[`state${name[0].toUpperCase()}${name.slice(1)}`],
    sentence(seat, state) {
      const { name, price, wheelchair } = hall.tiers[hall.tierOf[seat]];
      const kind = wheelchair ? [said.wheelchair] : [];
      return [placeOf(seat), `${name}, ${price}`, ...kind, this.state(state)].join(" · ");
    },
    free: (count) => phrase(source, "free", count),
    taken: (seats) => phrase(source, "taken", seats.length, seats.map(placeOf).join("; ")),
  };
}

// Numbers that follow each other, upwards or downwards, as "15–16"; others one by one.
function stretches(numbers) {
  const found = [];
  for (const number of numbers) {
    const last = found.at(-1);
    if (last && Math.abs(Number(number) - Number(last.at(-1))) === 1) last.push(number);
    else found.push([number]);
  }
  const ends = (stretch) => [stretch[0], stretch.at(-1)].sort((a, b) => a - b);
  return found.map((stretch) => (stretch.length === 1 ? stretch[0] : ends(stretch).join(JOINED)));
}
