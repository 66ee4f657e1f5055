// What the map and the list say of a seat. The server sends the words, already translated, as data attributes.

import { phrase } from "../phrase.js";

export function speak(hall, source) {
  const said = source.dataset;
  const inRow = (row) => (row.name ? said.row.replace("%s", row.name) : "");

  function placeOf(seat) {
    const number = hall.number[seat] && said.seat.replace("%s", hall.number[seat]);
    return [hall.zones[hall.zoneOf[seat]].name, inRow(hall.rows[hall.rowOf[seat]]), number].filter(Boolean).join(", ");
  }

  return {
    placeOf,
    stage: said.stage,
    howMany: said.howMany,
    rows: said.rows,
    rowAlone: (row) => said.rowAlone.replace("%s", row.name),
    tierOf: (seat) => hall.tiers[hall.tierOf[seat]],
    // As short as a list of several seats needs it: "C12", or "3/12" where rows have numbers.
    shortly(seat) {
      const { name } = hall.rows[hall.rowOf[seat]];
      return name + (/\d$/.test(name) ? "/" : "") + hall.number[seat];
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
