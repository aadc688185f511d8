/** The request that reports a view of the page to the company's statistics. */
export type Report = { url: string; body: string };

/**
 * Sends a report that needs a POST, without cookies and referrer. It does not read the tool's answer, and the page does
 * not wait for it.
 */
export default function reportView(_: HTMLElement, { url, body }: Report): void {
  fetch(url, {
    method: 'POST',
    mode: 'no-cors',
    credentials: 'omit',
    referrerPolicy: 'no-referrer',
    keepalive: true,
    headers: { 'Content-Type': 'text/plain' },
    body,
  }).catch(() => {});
}
