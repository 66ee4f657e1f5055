// The legend's tiers tell how many seats are free, and let one of them stand out on the map.

import { html } from "./html.js";

export function openLegend(hall, { seats, words, highlight }) {
  const entries = [];
  let standsOut = null;

  hall.tiers.forEach((tier, index) => {
    const item = document.querySelector(`.legend [data-tier="${tier.id}"]`);
    if (!item) return;
    const free = html("span", { className: "quiet" });
    const button = html("button", { type: "button", ariaPressed: "false" }, ...item.childNodes, free);
    button.addEventListener("click", () => {
      standsOut = standsOut === index ? null : index;
      entries.forEach((entry) => (entry.button.ariaPressed = String(entry.index === standsOut)));
      highlight(standsOut);
    });
    item.replaceChildren(button);
    entries.push({ index, button, free });
  });

  function update() {
    for (const { index, free } of entries) free.textContent = ` ${words.free(seats.free.tiers[index])}`;
  }
  seats.watch(update);
  update();
}
