// Buttons that copy an address. Without a clipboard, or without this script, they stay hidden: the address can be selected.

const TOLD_FOR = 2000; // ms

if (navigator.clipboard) {
  const said = document.querySelector("[data-copied]");
  for (const button of document.querySelectorAll("[data-copy]")) {
    const words = button.textContent;
    button.hidden = false;
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(button.dataset.copy);
      } catch {
        return; // the browser does not let us; nothing pretends otherwise
      }
      button.textContent = button.dataset.done;
      if (said) said.textContent = button.dataset.done;
      setTimeout(() => {
        button.textContent = words;
        if (said) said.textContent = "";
      }, TOLD_FOR);
    });
  }
}
