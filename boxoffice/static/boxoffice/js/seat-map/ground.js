// The hall without its seats: the stage, decoration, standing areas, and the names of zones.

import { svg } from "./svg.js";

const LEAST = 12; // pixels that the letters of the stage are high at least
const LARGEST = 17; // pixels that the letters of a standing area are high at most

export function drawStage(hall, words) {
  if (!hall.stage) return { elements: [], update() {} };
  const [x, y, width, height] = hall.stage;
  const name = svg("text", { class: "stage-name", x: x + width / 2, y: y + height / 2 }, words);
  const floor = svg("rect", { class: "stage-floor", x, y, width, height, rx: Math.min(width, height) / 12 });
  return {
    elements: [floor, name],
    // In letters that can be read from afar, as far as there is room for them.
    update: (scale) => name.setAttribute("font-size", Math.min(Math.max(height / 3, LEAST / scale), height * 0.8)),
  };
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
      group.append(svg("text", { x: shape.at[0], y: shape.at[1], "font-size": shape.size }, shape.text));
    }
    const [x, y] = shape.at ?? [shape.x, shape.y];
    if (shape.turn && x !== undefined) group.setAttribute("transform", `rotate(${shape.turn} ${x} ${y})`);
    return group;
  });
}

// Standing areas are chosen from by a count, so each is a button that leads to it.
export function drawStanding(hall, { free, words, choose }) {
  const areas = hall.zones.filter((zone) => zone.standing).map((zone) => standingArea(hall, zone, choose));

  // What is free there, in letters that stay readable and never outgrow the area.
  function update(scale) {
    for (const { zone, tier, button, name, count, size } of areas) {
      const told = `${tier.price} · ${words.free(free.zones[zone.at])}`;
      const letters = Math.min(size, LARGEST / scale);
      const middle = (zone.box.top + zone.box.bottom) / 2;
      button.setAttribute("font-size", letters);
      name.setAttribute("y", middle - letters * 0.4);
      count.setAttribute("y", middle + letters * 1.1);
      if (count.textContent === told) continue;
      count.textContent = told;
      button.setAttribute("aria-label", `${zone.name || tier.name}, ${tier.name}, ${told}. ${words.howMany}`);
    }
  }

  return {
    elements: areas.map(({ button }) => button),
    update,
    zoneOf: (target) => areas.find(({ button }) => button.contains(target))?.zone,
  };
}

function standingArea(hall, zone, choose) {
  const index = hall.tierOf[zone.first];
  const tier = hall.tiers[index];
  const { left, top, right, bottom } = zone.box;
  const x = (left + right) / 2;
  const size = Math.min((bottom - top) / 5, (right - left) / (0.6 * Math.max(zone.name.length, 18)));
  const name = svg("text", { class: "zone-name", x }, zone.name || tier.name);
  const count = svg("text", { class: "standing-count", x });
  const floor = svg("rect", { x: left, y: top, width: right - left, height: bottom - top, rx: 12 });
  const looks = { class: `standing of-${tier.color}`, role: "button", tabindex: 0, "data-tier-index": index };
  const button = svg("g", looks, floor, name, count);
  button.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    choose(zone);
  });
  return { zone, tier, button, name, count, size };
}
