/** A region; a city's districts are its children. */
export type Region = { code: string; name: string; children?: Region[] };

/** The language of the names of regions, on every page. */
export const NAMES_LANG = 'zh';

/** The districts of the city with this code. */
export function childrenOf(cities: Region[], code?: string): Region[] {
  return cities.find((city) => city.code === code)?.children || [];
}
