// A tone and a shake with each answer, for those who want them: high for good, low and twice for anything else.

const box = document.getElementById("sound");
let audio;

try {
  box.checked = localStorage.getItem("door-sound") === "on";
  document.getElementById("sound-choice").hidden = false;
} catch {
  // No storage, no choice to remember.
}

box.addEventListener("change", () => {
  localStorage.setItem("door-sound", box.checked ? "on" : "off");
  if (box.checked) signal("good");
});

function tone(hertz, after, seconds) {
  const oscillator = new OscillatorNode(audio, { frequency: hertz });
  const volume = new GainNode(audio, { gain: 0.3 });
  oscillator.connect(volume).connect(audio.destination);
  oscillator.start(audio.currentTime + after);
  oscillator.stop(audio.currentTime + after + seconds);
}

export function signal(kind) {
  if (!box.checked) return;
  navigator.vibrate?.(kind === "good" ? 60 : [150, 80, 150]);
  audio ??= new AudioContext();
  if (audio.state === "suspended") audio.resume();
  if (kind === "good") return tone(1040, 0, 0.12);
  tone(220, 0, 0.18);
  tone(220, 0.26, 0.18);
}
