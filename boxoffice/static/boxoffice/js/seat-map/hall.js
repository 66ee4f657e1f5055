// The hall as the server sends it, unpacked: for each seat, by its index, where it stands and what it is called.
// The index counts over zones, rows and seats; it is the seat's place in the live states as well.

export const PITCH = 24; // in the map's units, the least distance of two neighbours

export function unpackHall(layout) {
  const hall = { size: layout.size, stage: layout.stage, shapes: layout.shapes ?? [], tiers: layout.tiers };
  const lists = { id: [], x: [], y: [], tierOf: [], rowOf: [], zoneOf: [], number: [] };
  hall.rows = [];
  hall.zones = layout.zones.map((zone, at) => unpackZone(zone, at, hall.rows, lists));
  Object.assign(hall, lists, { count: lists.id.length });
  hall.indexOf = new Map(hall.id.map((id, index) => [id, index]));
  return hall;
}

function unpackZone(zone, at, rows, lists) {
  const first = lists.id.length;
  const own = zone.rows.map((row) => {
    const unpacked = unpackRow(row, lists, { zone: at, row: rows.length });
    rows.push(unpacked);
    return unpacked;
  });
  const unpacked = { at, name: zone.name, standing: zone.standing, rows: own, first, end: lists.id.length };
  unpacked.box = zone.standing ? standingBox(zone) : bounds(lists, first, unpacked.end);
  return unpacked;
}

function unpackRow(row, lists, { zone, row: nth }) {
  const first = lists.id.length;
  const tiers = row.tiers.flatMap(([tier, count]) => Array(count).fill(tier));
  let [id, x, y] = [0, 0, 0];
  row.ids.forEach((step, place) => {
    id += step;
    lists.id.push(id);
    // A place to stand has no place of its own, and the comparisons that look for seats pass it by.
    lists.x.push(row.numbers ? (x += row.x[place]) : NaN);
    lists.y.push(row.numbers ? (y += row.y[place]) : NaN);
    lists.number.push(row.numbers ? numberAt(row.numbers, place) : "");
    lists.tierOf.push(tiers[place]);
    lists.rowOf.push(nth);
    lists.zoneOf.push(zone);
  });
  return { at: nth, zone, name: row.name, first, end: lists.id.length };
}

function numberAt(numbers, place) {
  const [from, step] = numbers;
  return typeof from === "number" ? String(from + step * place) : numbers[place];
}

function standingBox(zone) {
  const [x, y, width = 0, height = 0] = zone.box ?? zone.rows[0].box ?? [0, 0];
  return { left: x, top: y, right: x + width, bottom: y + height };
}

function bounds({ x, y }, first, end) {
  const box = { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity };
  for (let seat = first; seat < end; seat += 1) {
    box.left = Math.min(box.left, x[seat]);
    box.right = Math.max(box.right, x[seat]);
    box.top = Math.min(box.top, y[seat]);
    box.bottom = Math.max(box.bottom, y[seat]);
  }
  return box;
}
