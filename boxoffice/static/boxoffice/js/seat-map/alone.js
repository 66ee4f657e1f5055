// A word before a choice leaves a seat alone, and the way to take that seat along. The server says the same once more
// to a browser that was not told here.

import { phrase } from "../phrase.js";
import { leftAlone } from "./lone-seats.js";

export function watchForLoneSeats(hall, { seats, words, toggle }) {
  const notice = document.getElementById("alone");
  const told = document.getElementById("alone-words");
  const takeAlong = document.getElementById("take-along");
  let lone = [];

  takeAlong.addEventListener("click", () => {
    const taken = lone.every((seat) => toggle(seat));
    if (taken) document.getElementById("hold").focus();
  });
  const update = () => {
    lone = leftAlone(hall, seats);
    notice.hidden = lone.length === 0;
    if (!lone.length) return;
    told.textContent = phrase(notice, "alone", lone.length, lone.map(words.placeOf).join("; "));
    takeAlong.textContent = phrase(notice, "along", lone.length);
    takeAlong.hidden = seats.chosen().length + lone.length > seats.limit;
  };
  seats.watch(update);
  update();

  return { isTold: () => lone.length > 0 };
}
