// The door. Codes come from the camera, the field or a hand scanner that types; each is sent to the server, and only
// its answer lets anybody in. A good answer goes away by itself, every other one waits for a tap.

import { ask, look } from "./ask.js";
import { Camera } from "./camera.js";
import { signal } from "./signal.js";

const GOOD_STAYS = 2000; // ms
const QUIET = 400; // ms that a request may take before the screen says "one moment"
const AGAIN_AFTER = 3000; // ms between two tries that the page makes by itself
const TRIES = 20; // then it waits for a tap
const DELIBERATE = 500; // ms; a tap meant for the screen before must not close an answer that nobody has read
const COUNT_EVERY = 4000; // ms
const KEYSTROKE_GAP = 500; // ms; what came earlier was a stray key, and not the beginning of a code
const SHORTEST_CODE = 8; // characters
const SCANNER_GAP = 50; // ms from key to key, on average; the fastest people take 60 in words that they know

const at = (id) => document.getElementById(id);
const door = at("door");
const overlay = at("overlay");
const typed = at("typed");
const token = typed.elements.csrfmiddlewaretoken.value;

let asked = null; // the request that is under way
let kept = null; // what got no answer
let tries = 0; // how often it was sent
let timer; // closes a good answer, or asks again
let readableFrom = 0;

// Answers

function show(content, tone) {
  clearTimeout(timer);
  const before = overlay.hidden ? null : overlay.dataset.tone;
  readableFrom = before === "lost" && tone !== "lost" ? performance.now() + DELIBERATE : 0;
  at("answer").replaceChildren(content);
  at("again").hidden = at("reload").hidden = true;
  at("overlay-foot").hidden = tone === "asking";
  overlay.dataset.tone = tone;
  overlay.hidden = false;
  door.inert = true;
  overlay.focus(); // and no button: what a hand scanner types must not press it
  if (tone !== "asking" && !(tone === "lost" && tries > 1)) signal(tone);
  if (tone === "good") timer = setTimeout(next, GOOD_STAYS);
}

function next() {
  clearTimeout(timer);
  asked?.abort();
  asked = kept = null;
  overlay.hidden = true;
  door.inert = false;
  if (!camera.isRunning) at("code").focus();
}

function fragment(html) {
  const template = document.createElement("template");
  template.innerHTML = html;
  return template.content;
}

function lost(body, why) {
  kept = body;
  const content = at("lost").content.cloneNode(true);
  const goesOn = why !== "reload" && tries < TRIES;
  content.querySelector("[data-words]").textContent = door.dataset[why];
  content.querySelector("[data-itself]").hidden = !goesOn;
  const code = body.get("code");
  content.querySelector("[data-code]").textContent = code.length > 20 ? `${code.slice(0, 12)}…` : code;
  show(content, "lost");
  at("again").hidden = why === "reload";
  at("reload").hidden = why !== "reload";
  if (goesOn) timer = setTimeout(again, AGAIN_AFTER);
}

// Asking

async function send(body) {
  if (asked) return;
  const mine = (asked = new AbortController());
  clearTimeout(timer);
  tries = body === kept ? tries + 1 : 1;
  // "No answer" stands until there is one.
  const slow = setTimeout(() => body !== kept && show(at("asking").content.cloneNode(true), "asking"), QUIET);
  const { answer, lost: why } = await ask({ address: typed.action, body, token, stop: mine });
  clearTimeout(slow);
  if (asked !== mine) return; // somebody went on without it
  asked = null;
  if (why) return lost(body, why);
  kept = null;
  show(fragment(answer.html), answer.tone);
  if (answer.result !== "refused") tidy(body.get("do"));
  if (answer.code) {
    at("hand-code").value = answer.code;
    at("by-hand").open = true;
  }
  refresh();
}

// What was typed has done its work.
function tidy(what) {
  if (what === "scan") at("code").value = "";
  if (what === "by_hand") at("by-hand").querySelector("form").reset();
  if (what === "undo") for (const open of at("scans").querySelectorAll("details[open]")) open.open = false;
}

function again() {
  if (kept) send(kept);
}

function scan(code, how) {
  send(new URLSearchParams({ do: "scan", how, code }));
}

addEventListener("submit", (event) => {
  if (!event.target.matches("form[data-door]")) return;
  event.preventDefault();
  const body = new URLSearchParams(new FormData(event.target));
  body.delete("csrfmiddlewaretoken"); // goes in its header
  send(body);
});

at("again").addEventListener("click", again);
addEventListener("online", again);
overlay.addEventListener("click", (event) => {
  if (performance.now() < readableFrom) return;
  const closes = overlay.dataset.tone === "good" && !event.target.closest("button");
  if (closes || event.target === at("next")) next();
});

function isFree() {
  return !asked && (overlay.hidden || overlay.dataset.tone === "good");
}

// A hand scanner types wherever the focus is, and ends with Enter. It is told from a person by its speed, since what it
// read is a picture, which anybody can draw: the server asks it for our signature.

let burst = "";
let firstKey = 0;
let lastKey = 0;

addEventListener("keydown", (event) => {
  const inField = event.target === at("code");
  if (event.target.matches("input") && !inField) return;
  // By the event's own time: a busy page must not tear a code apart.
  if (event.timeStamp - lastKey > KEYSTROKE_GAP) burst = "";
  lastKey = event.timeStamp;
  if (event.key.length === 1 && !event.ctrlKey && !event.metaKey) {
    if (!burst) firstKey = event.timeStamp;
    burst += event.key;
  }
  const isCode = event.key === "Enter" && burst.length >= SHORTEST_CODE;
  const byScanner = isCode && (event.timeStamp - firstKey) / burst.length <= SCANNER_GAP;
  if (byScanner || (isCode && !inField)) {
    event.preventDefault();
    if (inField) at("code").value = ""; // with what somebody may have begun to type
    // A bad answer waits for a tap, whatever is scanned meanwhile.
    if (isFree()) scan(burst, byScanner ? "scanner" : "typed");
    burst = "";
  } else if (event.target === overlay && burst.length < 2 && ["Enter", " ", "Escape"].includes(event.key)) {
    event.preventDefault();
    if (overlay.dataset.tone !== "asking") next();
  }
});

// Count and list

async function refresh() {
  const { state, lost: why } = await look(`${door.dataset.state}?seen=${door.dataset.newest}`);
  if (why) return stale(why);
  at("count").classList.remove("stale");
  const count = fragment(state.count);
  if (at("count").textContent.trim() !== count.textContent.trim()) at("count").replaceChildren(count);
  // Nothing moves under somebody who is typing a reason.
  if (state.scans !== null && !at("scans").querySelector("details[open]")) {
    at("scans").replaceChildren(fragment(state.scans));
    door.dataset.newest = state.newest;
  }
}

function stale(why) {
  at("count").classList.add("stale");
  at("count").textContent = door.dataset[why];
}

addEventListener("offline", () => stale("offline"));
addEventListener("online", refresh);
setInterval(() => document.hidden || refresh(), COUNT_EVERY);

// Camera

const camera = new Camera({
  video: at("video"),
  worker: door.dataset.worker,
  // Says whether the code was taken: not while one is being asked for, nor before a bad answer was read.
  seen(text) {
    if (!isFree()) return false;
    scan(text, "camera");
    return true;
  },
  stopped() {
    at("video").hidden = at("torch").hidden = true;
    at("start").hidden = false;
    at("camera").classList.remove("running");
    say(door.dataset.stopped);
  },
});

function say(words) {
  at("camera-words").textContent = words;
  at("camera-words").hidden = false;
}

async function start() {
  at("start").disabled = true;
  try {
    await camera.start();
  } catch (error) {
    at("start").disabled = false;
    return say(error.name === "NotAllowedError" ? door.dataset.refused : door.dataset.none);
  }
  at("video").hidden = at("start").disabled = false;
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
