// The switch "Tell this device": asks the browser for leave when it is pressed and not before, and tells the server how
// the device can be reached. What is shown is what the server knows, so that it holds after a reload. Without a script,
// or where a browser cannot do it, there is no switch, and the e-mail comes anyway.

const box = document.getElementById("this-device");
const words = box?.querySelector("p");
const button = box?.querySelector("button");
const scope = "/orders/";

const can = "serviceWorker" in navigator && "PushManager" in window && "Notification" in window && isSecureContext;

function show(state, said = box.dataset[`${state}Words`]) {
  box.dataset.state = state;
  if (words.textContent !== said) words.textContent = said;
  const label = box.dataset[`${state}Button`];
  button.hidden = !label;
  if (label) button.textContent = label;
  button.removeAttribute("aria-disabled");
  box.hidden = false;
}

const leave = () => Notification.permission; // "default" until somebody has answered

async function digest(text) {
  const bytes = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

async function ask(method, body) {
  const headers = { "Content-Type": "application/json", Accept: "application/json" };
  return fetch(box.dataset.address, { method, headers, body: JSON.stringify(body) });
}

function key() {
  const text = atob(box.dataset.key.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(text, (letter) => letter.charCodeAt(0));
}

function sameKey(subscription) {
  const made = subscription.options?.applicationServerKey;
  return !made || String(new Uint8Array(made)) === String(key());
}

async function subscribed() {
  const registration = await navigator.serviceWorker.getRegistration(scope);
  return registration?.pushManager.getSubscription();
}

async function newSubscription() {
  await navigator.serviceWorker.register(box.dataset.worker, { scope, updateViaCache: "none" });
  const { pushManager } = await navigator.serviceWorker.ready;
  const before = await pushManager.getSubscription();
  if (before && sameKey(before)) return before;
  await before?.unsubscribe(); // of a time when the server had another key
  return pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key() });
}

async function switchOn() {
  if ((await Notification.requestPermission()) !== "granted") return show(leave() === "denied" ? "denied" : "off");
  const subscription = await newSubscription();
  const answer = await ask("POST", { ...subscription.toJSON(), waits: box.dataset.waits === "yes" });
  if (answer.ok) return show("on");
  show("failed", (await answer.json()).words);
}

// The browser's own subscription stays: other orders may be told through it.
async function switchOff() {
  const subscription = await subscribed();
  const answer = subscription ? await ask("DELETE", { endpoint: subscription.endpoint }) : { ok: true };
  show(answer.ok ? "off" : "failed");
}

async function press() {
  if (button.getAttribute("aria-disabled")) return;
  button.setAttribute("aria-disabled", "true");
  try {
    await (box.dataset.state === "on" ? switchOff() : switchOn());
  } catch {
    show("failed"); // the push service is away, or we are
  }
}

async function look() {
  if (leave() === "denied") return show("denied");
  const subscription = leave() === "granted" && (await subscribed());
  if (!subscription) return show("off");
  const answer = await fetch(`${box.dataset.address}?device=${await digest(subscription.endpoint)}`);
  show(answer.ok && (await answer.json()).on ? "on" : "off");
}

// The tickets came while the page was open: from now on the switch offers what a reloaded page would offer.
function ticketsAreShown() {
  if (!box.dataset.waits || !document.querySelector("#tickets .tickets")) return;
  delete box.dataset.waits;
  box.dataset.offWords = box.dataset.laterWords;
  box.dataset.offButton = box.dataset.laterButton;
  if (box.dataset.state === "off" && !button.getAttribute("aria-disabled")) show("off");
}

if (box && can) {
  button.addEventListener("click", press);
  new MutationObserver(ticketsAreShown).observe(document.getElementById("tickets"), { childList: true });
  look().catch(() => show("off"));
}
