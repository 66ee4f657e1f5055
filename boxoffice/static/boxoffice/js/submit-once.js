// A form is sent once, however often its button is pressed. The server does not rely on it.

for (const form of document.querySelectorAll("form[data-once]")) {
  form.addEventListener("submit", (event) => {
    if (event.defaultPrevented) return;
    if (form.dataset.sent) {
      event.preventDefault();
      return;
    }
    form.dataset.sent = "yes";
    // After the browser has read which button was pressed.
    setTimeout(() => event.submitter?.setAttribute("aria-disabled", "true"));
  });
}

// A page that the browser kept and shows again, after "back", may be sent again.
addEventListener("pageshow", (event) => {
  if (!event.persisted) return;
  for (const form of document.querySelectorAll("form[data-sent]")) {
    delete form.dataset.sent;
    form.querySelectorAll("[aria-disabled]").forEach((button) => button.removeAttribute("aria-disabled"));
  }
});
