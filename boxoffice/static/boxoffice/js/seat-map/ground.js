// The hall without its seats: the stage, decoration, standing areas, and the names of zones.

import { svg } from "./svg.js";

export function drawStage(hall, words) {
  if (!hall.stage) return [];
  const [x, y, width, height] = hall.stage;
  const name = svg("text", { class: "stage-name", x: x + width / 2, y: y + height / 2, "font-size": height / 3 }, words);
  return [svg("rect", { class: "stage-floor", x, y, width, height, rx: Math.min(width, height) / 12 }), name];
}

const SHAPES = {
  rectangle: ({ x, y, w, h }) => svg("rect", { x, y, width: w, height: h }),
  circle: ({ x, y, rx, ry }) => svg("ellipse", { cx: x, cy: y, rx, ry }),
  ellipse: ({ x, y, rx, ry }) => svg("ellipse", { cx: x, cy: y, rx, ry }),
  polygon: ({ points }) => svg("polygon", { points: points.join(" ") }),
};

export function drawDecoration(hall) {
  return hall.shapes.map((shape) => {
    const group = svg("g", { class: "decoration" });
    if (SHAPES[shape.kind]) group.append(SHAPES[shape.kind](shape));
    if (shape.text) {
      const [x, y] = shape.at;
      group.append(svg("text", { x, y, "font-size": shape.size }, shape.text));
    }
    if (shape.turn) group.setAttribute("transform", `rotate(${shape.turn} ${(shape.at ?? [shape.x, shape.y]).join(" ")})`);
    return group;
  });
}

// Standing areas are chosen from by a count, so each is a button that leads to it. `update` tells what is free there.
export function drawStanding(hall, { free, words, choose }) {
  const areas = hall.zones.filter((zone) => zone.standing);
  const drawn = areas.map((zone) => {
    const tier = hall.tiers[hall.tierOf[zone.first]];
    const { left, top, right, bottom } = zone.box;
    const size = Math.min((bottom - top) / 6, (right - left) / (0.62 * Math.max(zone.name.length, 12)));
    const middle = { x: (left + right) / 2, "font-size": size };
    const count = svg("text", { ...middle, class: "standing-count", y: (top + bottom) / 2 + size * 1.15 });
    const button = svg(
      "g",
      { class: `standing of-${tier.color}`, role: "button", tabindex: 0, "data-tier-index": hall.tierOf[zone.first] },
      svg("rect", { x: left, y: top, width: right - left, height: bottom - top, rx: 12 }),
      svg("text", { ...middle, class: "zone-name", y: (top + bottom) / 2 - size * 0.35 }, zone.name || tier.name),
      count,
    );
    button.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      choose(zone);
    });
    return { zone, button, count, tier };
  });
  function update() {
    for (const { zone, button, count, tier } of drawn) {
      const told = `${tier.price} · ${words.free(free.zones[zone.at])}`;
      if (count.textContent === told) continue;
      count.textContent = told;
      button.setAttribute("aria-label", `${zone.name || tier.name}, ${tier.name}, ${told}. ${words.howMany}`);
    }
  }
  update();
  return { elements: drawn.map(({ button }) => button), update, zoneOf: (target) => drawn.find(({ button }) => button.contains(target))?.zone };
}
