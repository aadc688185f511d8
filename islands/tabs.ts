/** Where the tabs of one browser tell each other how long no code can be asked for. */
const CHANNEL = 'portico-code';

/** No code for `purpose` before `until`, as Date.now() counts. */
export type Wait = { purpose: string; until: number };

/** Hears what other tabs say. `tell` tells them something, `close` ends it. */
export function otherTabs(hear: (wait: Wait) => void) {
  let channel: BroadcastChannel | undefined;

  function open(): void {
    try {
      channel = new BroadcastChannel(CHANNEL);
      channel.onmessage = ({ data }) => hear(data);
    } catch {
      // Safari before 15.4, or storage switched off: each tab learns it from the server
    }
  }
  const close = () => channel?.close(); // an open one keeps the page out of the back-forward cache
  const reopen = ({ persisted }: PageTransitionEvent) => persisted && open();

  open();
  addEventListener('pagehide', close);
  addEventListener('pageshow', reopen);
  return {
    tell: (wait: Wait) => channel?.postMessage(wait),
    close(): void {
      close();
      removeEventListener('pagehide', close);
      removeEventListener('pageshow', reopen);
    },
  };
}
