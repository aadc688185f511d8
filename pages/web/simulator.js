// The object of the native app, played in dev: what the page calls is answered by /dev/native/call.
(() => {
  const ask = (message) =>
    fetch('/dev/native/call', {
      method: 'POST',
      credentials: 'same-origin',
      keepalive: true,
      body: new URLSearchParams({ message, page: location.pathname }),
    }).then((answer) => (answer.status === 200 ? answer.text() : new Promise(() => {})));

  if (document.currentScript.dataset.on === 'ios') {
    window.webkit = { messageHandlers: { portico: { postMessage: ask } } };
    return;
  }
  const object = {
    onmessage: null,
    postMessage(message) {
      ask(message).then((data) => object.onmessage?.({ data }));
    },
  };
  window.PorticoNative = object;
})();
