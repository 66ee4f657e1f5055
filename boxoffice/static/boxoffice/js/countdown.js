// The time that a hold has left, in words. Calm until two minutes are left, then clear. The seconds come from the
// server; this page's clock only counts them down, and what the server says counts.

import { phrase } from "./phrase.js";

const SOON = 120; // seconds
const SPOKEN = new Set([300, 120, 60, 30]); // what a screen reader hears, and no more

const left = document.getElementById("time-left");
const words = document.getElementById("time-words");
const aloud = document.getElementById("time-aloud");
const started = performance.now();
const given = Number(left.dataset.seconds);

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
  left.classList.toggle("soon", seconds <= SOON);
  if (SPOKEN.has(seconds)) aloud.textContent = text;
  setTimeout(tick, 1000);
}

function end() {
  document.getElementById("still-held").hidden = true;
  document.getElementById("no-longer-held").hidden = false;
  document.getElementById("no-longer-held").focus();
}

// A page that comes back from the browser's memory does not know what happened meanwhile.
addEventListener("pageshow", (event) => event.persisted && location.reload());

if (left) tick();
