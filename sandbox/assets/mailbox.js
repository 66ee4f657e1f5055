// Looks for new mails every two seconds. The list is exchanged only while nobody is reading or using it; otherwise a
// line above it says that there is something new.
"use strict";

const news = document.getElementById("news");
const address = new URL(location.href);
address.searchParams.set("part", "list");

async function look() {
  if (document.hidden) return;
  let answer;
  try {
    answer = await fetch(address, { cache: "no-store" });
  } catch {
    news.textContent = "The mailbox does not answer. It is tried again.";
    return;
  }
  if (!answer.ok) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("list");
  const shown = document.getElementById("list");
  if (fresh.dataset.newest === shown.dataset.newest) {
    if (!news.querySelector("a")) news.textContent = "";
    return;
  }
  if (scrollY > 40 || shown.contains(document.activeElement)) {
    const link = document.createElement("a");
    link.href = location.href;
    link.textContent = "Show them";
    news.replaceChildren("There are new mails. ", link);
    return;
  }
  shown.replaceWith(fresh);
  news.textContent = "A new mail has come in.";
}

setInterval(look, 2000);
