// The time that a hold has left, in words. Calm until two minutes are left, then clear. The seconds come from the
// server; this page's clock only counts them down, and what the server says counts. When little is left, five minutes
// more are offered, once.

import { phrase } from "./phrase.js";

const SOON = 120; // seconds
const SPOKEN = new Set([300, 120, 60, 30]); // what a screen reader hears, and no more

const left = document.getElementById("time-left");
const words = document.getElementById("time-words");
const aloud = document.getElementById("time-aloud");
const offer = document.getElementById("more-time");
let started = performance.now();
let given = Number(left.dataset.seconds);

function inWords(seconds) {
  if (seconds > SOON) return phrase(left, "minutes", Math.ceil(seconds / 60));
  if (seconds >= 60 && seconds % 60 === 0) return phrase(left, "minutes", seconds / 60);
  if (seconds < 60) return phrase(left, "seconds", seconds);
  return left.dataset.both
    .replace("%m", phrase(left, "minutes", Math.floor(seconds / 60)))
    .replace("%s", phrase(left, "seconds", seconds % 60));
}

function tick() {
  const seconds = Math.max(0, Math.ceil(given - (performance.now() - started) / 1000));
  if (seconds === 0) return end();
  const text = left.dataset.sentence.replace("%s", inWords(seconds));
  if (words.textContent !== text) words.textContent = text;
  const soon = seconds <= SOON;
  left.classList.toggle("soon", soon);
  if (offer && soon && offer.dataset.early) {
    delete offer.dataset.early;
    aloud.textContent = `${text} ${offer.dataset.aloud}`;
  } else if (SPOKEN.has(seconds)) aloud.textContent = text;
  setTimeout(tick, 1000);
}

function end() {
  document.getElementById("still-held").hidden = true;
  document.getElementById("no-longer-held").hidden = false;
  document.getElementById("no-longer-held").focus();
}

// The seconds are asked for beside the page, so that nothing moves and what was typed stays.
async function extend(event) {
  event.preventDefault();
  const button = event.currentTarget;
  if (button.getAttribute("aria-disabled")) return;
  button.setAttribute("aria-disabled", "true");
  try {
    const body = new FormData();
    body.set("csrfmiddlewaretoken", button.form.elements.csrfmiddlewaretoken.value);
    const answer = await fetch(button.formAction, { method: "POST", body, headers: { Accept: "application/json" } });
    if (answer.status === 410) return location.reload(); // the page says what happened
    if (!answer.ok) throw new Error(answer.status);
    const said = await answer.json();
    given = said.seconds_left;
    started = performance.now();
    aloud.textContent = said.words;
    const place = document.createElement("p");
    place.textContent = said.words;
    place.tabIndex = -1;
    offer.replaceChildren(place);
    place.focus({ preventScroll: true });
  } catch {
    button.removeAttribute("aria-disabled"); // it can be pressed again
  }
}
offer?.querySelector("button")?.addEventListener("click", extend);

// A page that comes back from the browser's memory does not know what happened meanwhile.
addEventListener("pageshow", (event) => event.persisted && location.reload());

if (left) tick();
