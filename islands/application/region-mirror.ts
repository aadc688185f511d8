import type { Region } from './region-tree';

/** A region as native wrappers read it: the names of buildRegionTree. */
type Mirrored = { code_: string; name_: string; children_: Mirrored[] };

/** The local-storage key, one of the eleven (KEYS). */
const KEY = 'regionTreeList';

/**
 * Writes the regions to local storage for native wrappers: every province, and the cities and districts of the
 * provinces that were loaded. The pages never read them. In private mode nothing is written.
 */
export function mirrorRegions(provinces: Region[], chosen: string, cities: Region[]): void {
  try {
    const stored = storedCities(localStorage.getItem(KEY));
    const tree = provinces.map(({ code, name }) => ({
      code_: code,
      name_: name,
      children_: code === chosen ? cities.map(mirrored) : stored.get(code) || [],
    }));
    localStorage.setItem(KEY, JSON.stringify(tree));
  } catch {
    // storage is switched off or full
  }
}

function mirrored({ code, name, children = [] }: Region): Mirrored {
  return { code_: code, name_: name, children_: children.map(mirrored) };
}

/** The cities stored for each province; empty if the stored text is not a list of regions. */
function storedCities(json: string | null): Map<string, Mirrored[]> {
  try {
    const list: Mirrored[] = JSON.parse(json || '[]');
    return new Map(list.map(({ code_, children_ }) => [code_, Array.isArray(children_) ? children_ : []]));
  } catch {
    return new Map();
  }
}
