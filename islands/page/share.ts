/** Reveals a button that opens the share sheet of the device with a title, and with a text, a link or both. */
export default function watchShare(button: HTMLElement): void {
  const { title = '', text = '', link = '' } = button.dataset;
  const shared: ShareData = { title, ...(text && { text }), ...(link && { url: link }) };
  if (!navigator.share) {
    return; // most desktops, WeChat, plain http: the text can be copied
  }
  button.hidden = false;
  button.addEventListener('click', () => {
    navigator.share(shared).catch(() => undefined); // the person closed the sheet, or one is open
  });
}
