/** Remembers in this tab that a picture is not in the form yet, so that the page can say so when it is loaded again. */
export function unsent(name: string) {
  const key = `unsent ${location.pathname} ${name}`;
  return {
    note(isUnsent: boolean): void {
      try {
        if (isUnsent) {
          sessionStorage.setItem(key, '1');
        } else {
          sessionStorage.removeItem(key);
        }
      } catch {
        // forbidden or full: nothing is said
      }
    },
    was(): boolean {
      try {
        return sessionStorage.getItem(key) === '1';
      } catch {
        return false;
      }
    },
  };
}
