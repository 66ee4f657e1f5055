// How each seat stands: what the server says of it, what this fan holds already, and what this fan has chosen.
// Everything that shows seats watches this, and nothing else keeps a state of its own.

const STATES = { f: "free", h: "held", s: "sold", b: "blocked" };

export function openSeats(hall, { own, chosen, limit }) {
  const standing = new Array(hall.count).fill("f");
  const mine = new Set(own.map((id) => hall.indexOf.get(id)));
  const picked = new Set();
  const watchers = [];
  const free = { tiers: [], zones: [], rows: [] };
  let wanted = chosen.map((id) => hall.indexOf.get(id)).filter((seat) => seat !== undefined);

  const stateOf = (seat) => {
    if (mine.has(seat) && standing[seat] === "h") return "own";
    return picked.has(seat) ? "chosen" : STATES[standing[seat]];
  };
  const tell = (seats) => watchers.forEach((watcher) => watcher(seats));

  function count(seat, by) {
    free.tiers[hall.tierOf[seat]] += by;
    free.zones[hall.zoneOf[seat]] += by;
    free.rows[hall.rowOf[seat]] += by;
  }

  function set(seat, letter) {
    if (standing[seat] === letter) return false;
    if (standing[seat] === "f") count(seat, -1);
    if (letter === "f") count(seat, 1);
    standing[seat] = letter;
    return true;
  }

  return {
    limit,
    free,
    stateOf,
    isFree: (seat) => standing[seat] === "f",
    chosen: () => [...picked],
    watch: (watcher) => watchers.push(watcher),

    // All states anew: one letter for each seat. Returns the chosen seats that are lost.
    replaceAll(letters) {
      const changes = { f: [], h: [], s: [], b: [] };
      for (let seat = 0; seat < hall.count; seat += 1)
        if (letters[seat] !== standing[seat]) changes[letters[seat]].push(seat);
      return this.change(changes);
    },

    // What has changed: lists of seats by their new letter. Returns the chosen seats that are lost.
    change(changes) {
      const changed = Object.entries(changes).flatMap(([letter, seats]) => seats.filter((seat) => set(seat, letter)));
      const lost = changed.filter((seat) => standing[seat] !== "f" && picked.delete(seat));
      // What the page was opened with is chosen once it is known which seats are free.
      for (const seat of wanted) if (standing[seat] === "f" && picked.size < limit) picked.add(seat);
      tell(changed.concat(wanted));
      wanted = [];
      return lost;
    },

    // Choose the seat, or give it back. Returns whether that was possible: not beyond the limit, and free seats only.
    toggle(seat) {
      if (!picked.delete(seat)) {
        if (standing[seat] !== "f" || picked.size >= limit) return false;
        picked.add(seat);
      }
      tell([seat]);
      return true;
    },

    reset() {
      free.tiers = hall.tiers.map(() => 0);
      free.zones = hall.zones.map(() => 0);
      free.rows = hall.rows.map(() => 0);
      for (let seat = 0; seat < hall.count; seat += 1) count(seat, 1);
      return this;
    },
  }.reset();
}
