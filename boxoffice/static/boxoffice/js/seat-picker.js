// The seats of a show. The checkboxes of the rows are the truth; the map and the bar show what they say.

import { connectMap } from "./seat-map.js";
import { money, phrase } from "./phrase.js";

const form = document.getElementById("picker");
const limit = Number(form.dataset.limit);
const boxes = [...form.querySelectorAll("input[name=seats]")];
const tiers = new Map([...form.querySelectorAll("[data-tier]")].map((item) => [item.dataset.tier, item.dataset]));
const count = document.getElementById("chosen-count");
const names = document.getElementById("chosen-seats");
const hold = document.getElementById("hold");
const warning = document.getElementById("too-many");

const chosen = () => boxes.filter((box) => box.checked);

function show() {
  const taken = chosen();
  const total = taken.reduce((sum, box) => sum + Number(tiers.get(box.dataset.of).minor), 0);
  const words = phrase(form, "count", taken.length);
  count.textContent = taken.length ? `${words}, ${money(form, total)}` : words;
  names.textContent = taken.map((box) => box.dataset.short).join(" · ");
  hold.textContent = phrase(form, "hold", taken.length);
}

function warn(words) {
  warning.textContent = words;
  warning.hidden = !words;
}

const map = connectMap({
  boxes,
  describe: (box) => `${box.dataset.label} · ${tiers.get(box.dataset.of).name}, ${tiers.get(box.dataset.of).price}`,
  toggle(box) {
    if (box.disabled) return;
    box.checked = !box.checked;
    box.dispatchEvent(new Event("change", { bubbles: true }));
  },
});

form.addEventListener("change", (event) => {
  const box = event.target;
  if (box.name !== "seats") return;
  if (box.checked && chosen().length > limit) {
    box.checked = false;
    warn(form.dataset.tooMany);
  } else {
    warn("");
  }
  map.draw(box);
  show();
});

form.addEventListener("submit", (event) => {
  if (event.submitter?.value === "best" || chosen().length) return;
  event.preventDefault();
  warn(form.dataset.nothing);
});

// On a phone the map comes first and the long list waits folded under its title.
if (matchMedia("(max-width: 59.99rem)").matches) document.getElementById("rows").open = false;

boxes.filter((box) => box.checked).forEach(map.draw);
show();

// Seen again after "back": what was free may be gone, and what was chosen may be held by now.
addEventListener("pageshow", (event) => event.persisted && location.reload());
