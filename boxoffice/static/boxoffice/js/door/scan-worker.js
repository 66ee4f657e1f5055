// Reads QR codes off the page's own thread. In: {width, height, data} of RGBA pixels. Out: the text, or null.

import decodeQR from "../qr/decode.js";

addEventListener("message", ({ data: image }) => {
  let text = null;
  try {
    text = decodeQR({ width: image.width, height: image.height, data: new Uint8Array(image.data) });
  } catch {
    // No code in this picture. The next one comes in a moment.
  }
  postMessage(text);
});
