/**
 * The lazily loaded chunks and their files, like `more=more-BU311qW_.js&…`. The build writes them here
 * (islands/vite.config.ts).
 */
const files = new URLSearchParams('%CHUNK_FILES%');

/**
 * Imports a chunk whose first request failed. Most browsers remember that an address failed and do not ask again as
 * long as the page is there, so the address gets a parameter. The server only looks at the path.
 */
export function importAgain<T>(name: string): Promise<T> {
  return import(/* @vite-ignore */ `./${files.get(name)}?${Date.now()}`);
}
