// The hall as a list: zones, rows, and a checkbox for each seat. What is folded away is not there until it is opened.

import { html } from "./html.js";

const OPEN_AT_ONCE = 600; // seats up to which a hall's list is written out from the beginning

const signOf = ({ wheelchair, letter }) => (wheelchair ? "♿" : letter);

// What the page brings for those without a script: of a large hall its parts, or the seats of one.
function emptied(list, words) {
  document.getElementById("zones")?.remove();
  document.querySelector(".kept")?.remove();
  list.replaceChildren(html("summary", {}, words.rows));
  return list;
}

export function openList(hall, { seats, words, toggle, count }) {
  const root = emptied(document.getElementById("rows"), words);
  const boxes = new Map();
  const counts = new Map();

  function refresh(seat) {
    const box = boxes.get(seat);
    if (!box) return;
    const state = seats.stateOf(seat);
    const takes = state === "free" || state === "chosen";
    box.input.checked = state === "chosen";
    box.input.disabled = !takes;
    box.label.className = `chip ${state}`;
    box.why.textContent = takes ? "" : ` ${words.state(state)}`;
  }

  function chip(seat, withLetter) {
    const tier = words.tierOf(seat);
    const input = html("input", { type: "checkbox", name: "seats", value: hall.id[seat] });
    input.addEventListener("change", () => {
      if (!toggle(seat)) input.checked = !input.checked;
    });
    const why = html("span", { className: "unseen" });
    const sign = withLetter || tier.wheelchair ? [html("i", { "aria-hidden": "true" }, signOf(tier))] : [];
    const kind = tier.wheelchair ? [html("span", { className: "unseen" }, ` ${tier.name}`)] : [];
    const label = html("label", {}, input, html("span", {}, ...sign, hall.number[seat], ...kind, why));
    boxes.set(seat, { input, label, why });
    refresh(seat);
    return html("li", {}, label);
  }

  function fieldset(row) {
    const places = Array.from({ length: row.end - row.first }, (_, nth) => row.first + nth);
    const tiers = [...new Set(places.map(words.tierOf))];
    const free = html("span");
    counts.set(free, () => words.free(seats.free.rows[row.at]));
    const prices = tiers.flatMap((tier) => [
      html("i", { className: "letter", "aria-hidden": "true" }, signOf(tier)),
      ` ${tier.name}, ${tier.price} · `,
    ]);
    const name = row.name ? [html("b", {}, words.rowAlone(row)), " · "] : [];
    const legend = html("legend", {}, ...name, ...prices, free);
    const chips = places.map((seat) => chip(seat, tiers.length > 1));
    return html("fieldset", { className: "row" }, legend, html("ul", {}, ...chips));
  }

  function seated(zone) {
    const rows = html("div");
    const fill = () => {
      if (rows.childElementCount) return;
      rows.append(...zone.rows.map(fieldset));
      recount();
    };
    if (!zone.name) {
      fill();
      return rows;
    }
    const free = html("span", { className: "quiet" });
    counts.set(free, () => words.free(seats.free.zones[zone.at]));
    const title = html("summary", {}, html("span", {}, zone.name), free);
    const details = html("details", { className: "zone" }, title, rows);
    details.addEventListener("toggle", () => details.open && fill());
    if (hall.count <= OPEN_AT_ONCE) {
      fill();
      details.open = true;
    }
    return details;
  }

  function standing(zone) {
    const tier = words.tierOf(zone.first);
    const free = html("span", { className: "quiet" });
    counts.set(free, () => `${tier.price} · ${words.free(seats.free.zones[zone.at])}`);
    const button = html("button", { type: "button", className: "button second" }, words.howMany);
    button.addEventListener("click", () => count(zone));
    const title = html("p", {}, html("b", {}, zone.name || tier.name), free);
    return html("div", { className: "zone standing-zone" }, title, button);
  }

  function recount() {
    for (const [element, told] of counts) {
      const text = told();
      if (element.textContent !== text) element.textContent = text;
    }
  }

  root.append(...hall.zones.map((zone) => (zone.standing ? standing(zone) : seated(zone))));
  recount();
  seats.watch((changed) => {
    for (const seat of changed) refresh(seat);
    recount();
  });
}
