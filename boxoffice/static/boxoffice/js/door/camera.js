// The camera: starts it, and calls back with each code that comes into sight. The browser's own detector reads the
// pictures where there is one, else our worker.

const LONGEST_SIDE = 800; // pixels; a ticket's code has 45 modules, and reads well from 140 on
const OUT_OF_SIGHT = 3000; // ms without a code, after which it counts as shown anew

export class Camera {
  constructor({ video, worker, seen, stopped }) {
    Object.assign(this, { video, worker, seen, stopped });
    this.isRunning = false;
    this.lastSeen = new Map();
    this.canvas = document.createElement("canvas");
    document.addEventListener("visibilitychange", () => this.stayAwake());
  }

  async start() {
    this.reader ??= reader(this.worker); // gets ready while somebody is asked for the camera
    this.stream = await navigator.mediaDevices.getUserMedia({
      audio: false,
      video: { facingMode: "environment", width: { ideal: 1280 }, height: { ideal: 720 } },
    });
    this.video.srcObject = this.stream;
    await this.video.play();
    this.read = await this.reader;
    // A phone takes its camera back when a call comes in, or after a long sleep.
    this.track.addEventListener("ended", () => this.end());
    this.isRunning = true;
    this.stayAwake();
    this.look();
  }

  end() {
    this.isRunning = false;
    this.stopped();
  }

  // The screen does not go dark between two guests; the browser forgets this whenever the page is hidden.
  async stayAwake() {
    if (this.isRunning && !document.hidden) await navigator.wakeLock?.request("screen").catch(() => {});
  }

  get track() {
    return this.stream.getVideoTracks()[0];
  }

  get hasTorch() {
    return Boolean(this.track.getCapabilities?.().torch);
  }

  light(on) {
    return this.track.applyConstraints({ advanced: [{ torch: on }] });
  }

  // One picture at a time: the next is taken when this one is read.
  look = async () => {
    if (!this.isRunning) return;
    if (!document.hidden && this.video.videoWidth) {
      const text = await this.read(this.video, () => this.picture());
      if (text) this.note(text);
    }
    if (this.video.requestVideoFrameCallback && !document.hidden) this.video.requestVideoFrameCallback(this.look);
    else setTimeout(this.look, 200);
  };

  picture() {
    const { videoWidth, videoHeight } = this.video;
    const scale = Math.min(1, LONGEST_SIDE / Math.max(videoWidth, videoHeight));
    const width = (this.canvas.width = Math.round(videoWidth * scale));
    const height = (this.canvas.height = Math.round(videoHeight * scale));
    const context = this.canvas.getContext("2d", { willReadFrequently: true });
    context.drawImage(this.video, 0, 0, width, height);
    return context.getImageData(0, 0, width, height);
  }

  // A ticket that stays before the camera is one showing of it.
  note(text) {
    const now = performance.now();
    const before = this.lastSeen.get(text) ?? -Infinity;
    if (now - before > OUT_OF_SIGHT && !this.seen(text)) return;
    this.lastSeen.set(text, now);
    for (const [old, at] of this.lastSeen) if (now - at > OUT_OF_SIGHT) this.lastSeen.delete(old);
  }
}

async function reader(address) {
  const formats = await globalThis.BarcodeDetector?.getSupportedFormats?.().catch(() => []);
  if (formats?.includes("qr_code")) {
    const detector = new BarcodeDetector({ formats: ["qr_code"] });
    return async (video) => (await detector.detect(video).catch(() => []))[0]?.rawValue;
  }
  const worker = new Worker(address, { type: "module" });
  return (_video, picture) =>
    new Promise((resolve) => {
      worker.onmessage = ({ data }) => resolve(data);
      worker.onerror = () => resolve(null);
      const { width, height, data } = picture();
      worker.postMessage({ width, height, data: data.buffer }, [data.buffer]);
    });
}
