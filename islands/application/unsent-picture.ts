/**
 * Remembers that a picture is not uploaded yet, so that the page can say so when it is reloaded. It uses the state of
 * the current history entry and stores nothing on the device.
 */
export function unsentPicture(name: string) {
  return {
    note(isUnsent: boolean): void {
      history.replaceState({ ...history.state, unsent: isUnsent ? name : '' }, '');
    },
    was: (): boolean => history.state?.unsent === name,
  };
}
