/** The channel on which the tabs of one browser announce when the server sends the next code. */
const CHANNEL = 'portico-code';

/** The server sends no code for `purpose` before `until`, in the milliseconds of Date.now(). */
export type Wait = { purpose: string; until: number };

/** Calls the listener with the messages of other tabs. `send` sends them one, `close` closes the channel. */
export function otherTabs(onMessage: (wait: Wait) => void) {
  let channel: BroadcastChannel | undefined;

  function open(): void {
    try {
      channel = new BroadcastChannel(CHANNEL);
      channel.onmessage = ({ data }) => onMessage(data);
    } catch {
      // Safari before 15.4, or storage switched off: each tab learns it from the server
    }
  }
  const close = () => channel?.close(); // an open channel keeps the page out of the back-forward cache
  const reopen = ({ persisted }: PageTransitionEvent) => persisted && open();

  open();
  addEventListener('pagehide', close);
  addEventListener('pageshow', reopen);
  return {
    send: (wait: Wait) => channel?.postMessage(wait),
    close(): void {
      close();
      removeEventListener('pagehide', close);
      removeEventListener('pageshow', reopen);
    },
  };
}
