// Runs in the browser's background, also when no page of ours is open: shows what we tell, and opens the order's page
// when it is pressed. It handles no requests, so that pages are loaded as without it.
// ICON, the address of the picture beside a message, is put before this file by the view that serves it.

addEventListener("install", () => skipWaiting());

function told(event) {
  try {
    return event.data.json();
  } catch {
    return {}; // a browser wants something to be shown for each message
  }
}

addEventListener("push", (event) => {
  const { title = "BoxOffice", body = "", lang = "", tag = "", url = "/" } = told(event);
  // The same tag takes the place of what is shown already: a message that was sent twice is seen once.
  event.waitUntil(registration.showNotification(title, { body, lang, tag, icon: ICON, data: { url } }));
});

async function open(address) {
  const windows = await clients.matchAll({ type: "window", includeUncontrolled: true });
  const there = windows.find((client) => client.url.split("#")[0] === address);
  return there ? there.focus() : clients.openWindow(address);
}

addEventListener("notificationclick", (event) => {
  event.notification.close();
  const address = new URL(event.notification.data.url, location.origin);
  if (address.origin === location.origin) event.waitUntil(open(address.href));
});
