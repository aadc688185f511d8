/** The event on the document that says that a part of the page was renewed. It is the name that htmx gives it. */
export const RENEWED_EVENT = 'htmx:after:swap';

/** Calls `run` whenever a part of the page was renewed. */
export const onRenewed = (run: () => void): void => document.addEventListener(RENEWED_EVENT, run);
