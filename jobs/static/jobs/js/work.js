// Keeps the page of queues and workers fresh without moving what somebody reads: parts that have changed are replaced,
// the one on top of the screen stays where it is, and nothing happens while somebody selects text, has the focus in a
// part, or looks at another window. The title of the window, which says how much is wrong, is kept fresh all the same,
// once a minute. It ends once the page does not ask for it any more. Without this script the link "Refresh" does it.
"use strict";

document.addEventListener("DOMContentLoaded", () => {
  const work = document.querySelector("[data-refresh]");
  if (!work) return;
  const seconds = Number(work.dataset.refresh);
  const toggle = work.querySelector("[data-refresh-toggle]");
  const away = work.querySelector("[data-refresh-away]");
  let stopped = false;
  let over = false;
  let looked = Date.now();
  const HIDDEN_SECONDS = 60;

  const isBeingRead = () => document.hidden || String(document.getSelection()) !== "";

  const liveParts = () => [...work.querySelectorAll("[data-live]")];

  const keepInPlace = (change) => {
    const onTop = liveParts().find((part) => part.getBoundingClientRect().bottom > 0) || work;
    const before = onTop.getBoundingClientRect().top;
    change();
    const moved = onTop.getBoundingClientRect().top - before;
    if (moved && window.scrollY > 0) window.scrollBy({ top: moved, behavior: "instant" });
  };

  // Returns whether a part that has changed was left alone, since somebody is at it.
  const replaceWhatChanged = (fresh) => {
    let isHeldBack = false;
    for (const part of liveParts()) {
      const newer = fresh.querySelector(`[data-live="${part.dataset.live}"]`);
      const isInUse = part.contains(document.activeElement) || part.matches(":hover:has(time:hover)");
      if (!newer || newer.innerHTML === part.innerHTML) continue;
      if (isInUse) isHeldBack = true;
      else part.innerHTML = newer.innerHTML;
    }
    return isHeldBack;
  };

  // What is outside of the page's parts: the title, and how much needs attention in the header.
  const replaceAround = (fresh) => {
    document.title = fresh.title;
    const [count, newer] = [document, fresh].map((page) => page.querySelector(".attention-count"));
    if (!count || !newer || count.contains(document.activeElement)) return;
    count.className = newer.className;
    if (count.textContent !== newer.textContent) count.textContent = newer.textContent;
  };

  const refresh = async () => {
    const isOnlyTitle = document.hidden && Date.now() - looked >= HIDDEN_SECONDS * 1000;
    if (stopped || (isBeingRead() && !isOnlyTitle)) return;
    looked = Date.now();
    try {
      const answer = await fetch(window.location.href, { credentials: "same-origin", redirect: "error" });
      if (!answer.ok) throw new Error(String(answer.status));
      const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
      if (stopped) return;
      replaceAround(fresh);
      if (isBeingRead()) return;
      let isHeldBack = false;
      keepInPlace(() => {
        isHeldBack = replaceWhatChanged(fresh);
      });
      document.dispatchEvent(new Event("refreshed"));
      away.hidden = true;
      over = !isHeldBack && !fresh.querySelector("[data-refresh]");
    } catch {
      away.hidden = false;
    }
  };

  const keepOn = async () => {
    await refresh();
    if (over) {
      const told = toggle.closest("[data-refresh-note]");
      if (told) keepInPlace(() => (told.hidden = true));
    } else {
      window.setTimeout(keepOn, seconds * 1000);
    }
  };

  toggle.hidden = false;
  toggle.addEventListener("click", () => {
    stopped = !stopped;
    toggle.textContent = stopped ? toggle.dataset.go : toggle.dataset.stop;
    if (!stopped) refresh();
  });
  window.setTimeout(keepOn, seconds * 1000);
});
