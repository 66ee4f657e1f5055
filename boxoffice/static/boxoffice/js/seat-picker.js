// The seats of a show: one state of them, and the map, the list and the choice that all show it.

import { drawMap } from "./seat-map.js";
import { watchForLoneSeats } from "./seat-map/alone.js";
import { openChoice } from "./seat-map/choice.js";
import { unpackHall } from "./seat-map/hall.js";
import { openLegend } from "./seat-map/legend.js";
import { openList } from "./seat-map/list.js";
import { openSeats } from "./seat-map/seats.js";
import { followStates } from "./seat-map/states.js";
import { speak } from "./seat-map/words.js";

const form = document.getElementById("picker");
const frame = document.getElementById("map-frame");
const warning = document.getElementById("too-many");
const news = document.getElementById("seat-news");
const trouble = document.getElementById("map-trouble");
const limit = Number(form.dataset.limit);
const idsIn = (text) => text.split(" ").filter(Boolean).map(Number);

function say(element, words) {
  element.textContent = words;
  element.hidden = !words;
}

function reloadLink() {
  const link = trouble.querySelector("a");
  link.href = `?${seats ? seats.chosen().map((seat) => `seats=${hall.id[seat]}`).join("&") : ""}`;
}

function complain(words) {
  trouble.hidden = !words;
  if (!words) return;
  trouble.querySelector("span").textContent = words;
  reloadLink();
}

// A choice that was refused returns false, and the page says why.
function toggle(seat) {
  if (!seats.toggle(seat)) {
    if (seats.isFree(seat)) say(warning, form.dataset.tooMany);
    return false;
  }
  say(warning, "");
  say(news, "");
  return true;
}

// People who stand choose how many they are.
function count(zone) {
  const { id } = hall.tiers[hall.tierOf[zone.first]];
  const places = document.querySelector(`[data-standing="${CSS.escape(`${id} ${zone.name}`)}"] select`);
  places?.focus();
  places?.scrollIntoView({ block: "center" });
}

function leave() {
  document.getElementById("hold")?.focus();
}

function forget(lost) {
  if (!lost.length) return;
  say(news, words.taken(lost));
  reloadLink();
}

let hall;
let seats;
let words;

function open(layout, letters) {
  hall = unpackHall(layout);
  const checked = [...form.querySelectorAll("input[name=seats]:checked")].map((box) => Number(box.value));
  const chosen = [...new Set([...idsIn(frame.dataset.chosen), ...checked])];
  seats = openSeats(hall, { own: idsIn(frame.dataset.own), chosen, limit });
  seats.replaceAll(letters);
  words = speak(hall, frame);
  const map = drawMap(hall, { seats, words, toggle, count, leave });
  performance.mark("seat-map-drawn");
  openLegend(hall, { seats, words, highlight: map.highlight });
  openList(hall, { seats, words, toggle, count });
  // A hall with standing areas only has nothing to choose from one by one.
  if (document.getElementById("hold")) openChoice(hall, { form, seats, words, toggle, show: map.show });
  const alone = watchForLoneSeats(hall, { seats, words, toggle });
  form.addEventListener("formdata", ({ formData }) => {
    formData.delete("seats");
    for (const seat of seats.chosen()) formData.append("seats", hall.id[seat]);
    if (alone.isTold()) formData.set("alone", "yes");
  });
  form.addEventListener("submit", (event) => {
    const { name, value } = event.submitter ?? {};
    if (name === "standing" || value === "best" || seats.chosen().length) return;
    event.preventDefault();
    say(warning, form.dataset.nothing);
  });
  frame.dataset.ready = "yes";
  performance.mark("seat-map-ready");
}

async function load() {
  const answer = await fetch(frame.dataset.layout);
  if (!answer.ok) throw new Error(`layout: ${answer.status}`);
  return answer.json();
}

// Both at once. If it fails it is fetched again together with the states.
const layout = load().catch(() => null);

followStates(frame.dataset.states, {
  async all(letters) {
    if (seats) return forget(seats.replaceAll(letters));
    const loaded = (await layout) ?? (await load());
    open(loaded, letters);
  },
  changes: (changes) => forget(seats.change(changes)),
  doubt: (doubtful) => complain(doubtful && (seats ? frame.dataset.doubt : frame.dataset.missing)),
  ended: (message) => complain(message),
});

// On a phone the map comes first and the long list waits folded under its title.
if (matchMedia("(max-width: 59.99rem)").matches) document.getElementById("rows").open = false;

// Seen again after "back": what was free may be gone, and what was chosen may be held by now.
addEventListener("pageshow", (event) => event.persisted && location.reload());
