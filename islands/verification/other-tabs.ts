/** The channel on which the tabs of one browser tell each other when the next code can be sent. */
const CHANNEL = 'portico-code';

/** The server sends no code for `purpose` before `until`, in the milliseconds of Date.now(). */
export type Wait = { purpose: string; until: number };

/** Calls the listener with the messages of other tabs. `tell` sends them one, `close` closes the channel. */
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
  const close = () => channel?.close(); // an open channel keeps the page out of the back-forward cache
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
