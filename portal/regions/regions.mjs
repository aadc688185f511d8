// Writes regions.txt: `npm run regions`, or `node portal/regions/regions.mjs FILE` to write elsewhere.
//
// The regions are those of @vant/area-data, changed by regions-overrides.json where the state has moved on since. One
// line a region, by code, so that parents precede their children: "110101 东城区". A leading "-" marks a code that
// is no longer given out but may stand in what was filed earlier: "-500105 江北区".

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { areaList } from '@vant/area-data';

const committed = new URL('regions.txt', import.meta.url);
const overrides = JSON.parse(readFileSync(new URL('regions-overrides.json', import.meta.url), 'utf8'));

const current = new Map(
  [areaList.province_list, areaList.city_list, areaList.county_list].flatMap((list) => Object.entries(list)),
);
const retired = new Map();
for (const { add, retire } of overrides) {
  for (const [code, name] of Object.entries(add)) {
    current.set(code, name);
    retired.delete(code);
  }
  for (const [code, name] of Object.entries(retire)) {
    current.delete(code);
    retired.set(code, name);
  }
}

for (const [code, name] of [...current, ...retired]) {
  const parent = code.endsWith('0000') ? '' : code.endsWith('00') ? `${code.slice(0, 2)}0000` : `${code.slice(0, 4)}00`;
  if (!/^\d{6}$/.test(code)) refuse(`${code} ${name} has no code of six digits`);
  if (parent && !current.has(parent) && !(retired.has(code) && retired.has(parent))) {
    refuse(`${code} ${name} has no parent`);
  }
  if (!/^\p{Script=Han}+$/u.test(name) || name !== name.normalize('NFC')) refuse(`${code} has an odd name: ${name}`);
}
for (const line of existsSync(committed) ? readFileSync(committed, 'utf8').trim().split('\n') : []) {
  const [, code, name] = line.match(/^-?(\d{6}) (.+)$/);
  if (!current.has(code) && !retired.has(code)) {
    refuse(`${code} ${name} is gone from @vant/area-data: name it under "retire" in regions-overrides.json`);
  }
}

const lines = [
  ...[...current].map(([code, name]) => [code, `${code} ${name}\n`]),
  ...[...retired].map(([code, name]) => [code, `-${code} ${name}\n`]),
];
lines.sort(([a], [b]) => (a < b ? -1 : 1));
writeFileSync(process.argv[2] ?? committed, lines.map(([, line]) => line).join(''));

function refuse(reason) {
  console.error(`regions: ${reason}`);
  process.exit(1);
}
