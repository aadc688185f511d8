import { useLayoutEffect, useState } from 'react';

/**
 * Counts down seconds by the clock, which also runs while a phone sleeps. The countdown begins with `seconds`; `start`
 * sets a new end, in the milliseconds of Date.now(). `isRunning` is false before the component is mounted.
 */
export function useCountdown(seconds: number) {
  const [left, setLeft] = useState(seconds);
  const [until, start] = useState(0);

  useLayoutEffect(() => {
    let timer: ReturnType<typeof setTimeout>;
    let most = until - Date.now();
    function tick(): void {
      const milliseconds = until - Date.now();
      if (milliseconds > most) {
        start(Date.now() + most); // if the clock was set back, the wait gets no longer
        return;
      }
      most = milliseconds;
      setLeft(Math.max(0, Math.ceil(milliseconds / 1000)));
      if (milliseconds > 0) {
        timer = setTimeout(tick, milliseconds % 1000 || 1000);
      }
    }
    if (until) {
      tick();
    } else if (seconds) {
      start(Date.now() + seconds * 1000);
    }
    return () => clearTimeout(timer);
  }, [until, seconds]);

  return { left, isRunning: until > 0 && left > 0, start };
}
