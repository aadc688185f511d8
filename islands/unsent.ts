/**
 * Remembers that a picture is not in the form yet, so that the page can say so when it is loaded again. The entry of
 * the browser's history keeps it: nothing is stored.
 */
export function unsent(name: string) {
  return {
    note(isUnsent: boolean): void {
      history.replaceState({ ...history.state, unsent: isUnsent ? name : '' }, '');
    },
    was: (): boolean => history.state?.unsent === name,
  };
}
