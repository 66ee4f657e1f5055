// The door. Codes come from the camera, the field or a hand scanner that types; each is sent to the server, and only
// its answer lets anybody in. A good answer goes away by itself, every other one waits for a tap.

import { Camera } from "./camera.js";
import { signal } from "./signal.js";

const GOOD_STAYS = 2000; // ms
const PATIENCE = 8000; // ms until a request counts as lost
const COUNT_EVERY = 4000; // ms
const KEYSTROKE_GAP = 100; // ms; a hand scanner types faster than any person

const at = (id) => document.getElementById(id);
const door = at("door");
const overlay = at("overlay");
const typed = at("typed");
const token = typed.elements.csrfmiddlewaretoken.value;

let waiting = false; // for the server's answer
let kept = null; // what got no answer
let closing;

// Answers

function show(content, tone) {
  clearTimeout(closing);
  at("answer").replaceChildren(content);
  at("again").hidden = tone !== "lost";
  overlay.dataset.tone = tone;
  overlay.hidden = false;
  overlay.focus(); // and no button: what a hand scanner types must not press it
  signal(tone);
  if (tone === "good") closing = setTimeout(next, GOOD_STAYS);
}

function next() {
  clearTimeout(closing);
  kept = null;
  overlay.hidden = true;
  if (!camera.stream) at("code").focus();
}

function fragment(html) {
  const template = document.createElement("template");
  template.innerHTML = html;
  return template.content;
}

function lost(body, words) {
  kept = body;
  const content = at("lost").content.cloneNode(true);
  content.querySelector("[data-words]").textContent = words;
  const code = body.get("code");
  content.querySelector("[data-code]").textContent = code.length > 20 ? `${code.slice(0, 12)}…` : code;
  show(content, "lost");
}

// Asking

async function ask(body) {
  if (waiting) return;
  waiting = true;
  // Whoever asks again after a lost answer must not hear that the ticket is in already, through this very request.
  if (!body.has("attempt")) body.set("attempt", crypto.randomUUID?.() ?? "");
  try {
    const response = await fetch(typed.action, {
      method: "POST",
      body,
      headers: { Accept: "application/json", "X-CSRFToken": token },
      signal: AbortSignal.timeout?.(PATIENCE),
    });
    const answer = await response.json().catch(() => null);
    if (!answer) return lost(body, door.dataset.failed);
    if (answer.problem) return lost(body, answer.problem);
    kept = null;
    show(fragment(answer.html), answer.tone);
    at("code").value = "";
    refresh();
  } catch {
    lost(body, door.dataset.lost);
  } finally {
    waiting = false;
  }
}

function scan(code, how) {
  ask(new URLSearchParams({ do: "scan", how, code }));
}

addEventListener("submit", (event) => {
  if (!event.target.matches("form[data-door]")) return;
  event.preventDefault();
  ask(new URLSearchParams(new FormData(event.target)));
});

at("next").addEventListener("click", next);
at("again").addEventListener("click", () => kept && ask(kept));
overlay.addEventListener("click", (event) => overlay.dataset.tone === "good" && !event.target.closest("button") && next());

// A hand scanner types wherever the focus is, and ends with Enter.

let burst = "";
let lastKey = 0;

addEventListener("keydown", (event) => {
  if (event.target.matches("input")) return;
  const now = performance.now();
  if (now - lastKey > KEYSTROKE_GAP) burst = "";
  lastKey = now;
  if (event.key.length === 1 && !event.ctrlKey && !event.metaKey) burst += event.key;
  if (event.key === "Enter" && burst.length >= 8) {
    event.preventDefault();
    // A bad answer waits for a tap, whatever is scanned meanwhile.
    if (overlay.hidden || overlay.dataset.tone === "good") scan(burst, "typed");
    burst = "";
  } else if (event.target === overlay && burst.length < 2 && ["Enter", " ", "Escape"].includes(event.key)) {
    event.preventDefault();
    next();
  }
});

// Count and list

async function refresh() {
  try {
    const address = `${door.dataset.state}?seen=${door.dataset.newest}`;
    const response = await fetch(address, { headers: { Accept: "application/json" } });
    if (!response.ok) throw new Error(response.status);
    const state = await response.json();
    at("count").classList.remove("stale");
    const count = fragment(state.count);
    if (at("count").textContent.trim() !== count.textContent.trim()) at("count").replaceChildren(count);
    // Nothing moves under somebody who is typing a reason.
    if (state.scans !== null && !at("scans").querySelector("details[open]")) {
      at("scans").replaceChildren(fragment(state.scans));
      door.dataset.newest = state.newest;
    }
  } catch {
    at("count").textContent = door.dataset.offline;
    at("count").classList.add("stale");
  }
}

setInterval(() => document.hidden || refresh(), COUNT_EVERY);

// Camera

const camera = new Camera({
  video: at("video"),
  worker: door.dataset.worker,
  // Says whether the code was taken: not while one is being asked for, nor before a bad answer was read.
  seen(text) {
    if (waiting || !(overlay.hidden || overlay.dataset.tone === "good")) return false;
    scan(text, "camera");
    return true;
  },
});

function say(words) {
  at("camera-words").textContent = words;
  at("camera-words").hidden = false;
}

async function start() {
  try {
    await camera.start();
  } catch (error) {
    return say(error.name === "NotAllowedError" ? door.dataset.refused : door.dataset.none);
  }
  at("video").hidden = false;
  at("start").hidden = at("camera-words").hidden = true;
  at("camera").classList.add("running");
  at("torch").hidden = !camera.hasTorch;
}

at("start").addEventListener("click", start);
at("torch").addEventListener("click", async ({ currentTarget: button }) => {
  const on = button.getAttribute("aria-pressed") !== "true";
  await camera.light(on);
  button.setAttribute("aria-pressed", on);
});

at("camera").hidden = false;
if (!navigator.mediaDevices) {
  at("start").hidden = true;
  say(isSecureContext ? door.dataset.none : door.dataset.insecure);
} else {
  const permission = await navigator.permissions?.query({ name: "camera" }).catch(() => null);
  if (permission?.state === "granted") start();
}
