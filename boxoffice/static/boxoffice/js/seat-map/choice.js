// What is chosen: each seat with its price and a way to give it back, the sum, and the button that holds them.

import { money, phrase } from "../phrase.js";
import { html } from "./html.js";

export function openChoice(hall, { form, seats, words, toggle, show }) {
  const section = document.getElementById("choice");
  const lines = document.getElementById("choice-lines");
  const sum = document.getElementById("choice-sum");
  const count = document.getElementById("chosen-count");
  const names = document.getElementById("chosen-seats");
  const hold = document.getElementById("hold");
  const shown = new Map();

  function line(seat) {
    const place = html("button", { type: "button", className: "place" }, words.placeOf(seat));
    place.addEventListener("click", () => show(seat));
    const cross = html("span", { "aria-hidden": "true" }, "×");
    const remove = html("button", { type: "button", className: "remove" }, cross);
    remove.setAttribute("aria-label", section.dataset.remove.replace("%s", words.placeOf(seat)));
    remove.addEventListener("click", () => {
      const next = remove.closest("li").nextElementSibling ?? remove.closest("li").previousElementSibling;
      toggle(seat);
      (next?.querySelector(".remove") ?? hold).focus();
    });
    return html("li", {}, place, html("span", { className: "figures" }, words.tierOf(seat).price), remove);
  }

  function update() {
    const chosen = seats.chosen();
    for (const [seat, item] of shown)
      if (!chosen.includes(seat)) {
        item.remove();
        shown.delete(seat);
      }
    for (const seat of chosen) if (!shown.has(seat)) shown.set(seat, lines.appendChild(line(seat)));
    const total = money(form, chosen.reduce((all, seat) => all + words.tierOf(seat).amount, 0));
    const told = phrase(form, "count", chosen.length);
    sum.textContent = total;
    count.textContent = chosen.length ? `${told}, ${total}` : told;
    const { zone, rows } = words.shortly(chosen);
    names.replaceChildren(...(zone ? [html("span", { className: "zone-of-them" }, `${zone}, `)] : []), rows);
    hold.textContent = phrase(form, "hold", chosen.length);
    section.hidden = chosen.length === 0;
  }

  seats.watch(update);
  update();
}
