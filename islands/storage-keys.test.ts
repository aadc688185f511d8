import { readdirSync, readFileSync } from 'node:fs';
import { beforeEach, expect, test } from 'vitest';
import { mirrorRegions } from './application/region-mirror';
import { KEYS } from './constants';
import { mirror } from './page/local-storage';

const sources = readdirSync('islands', { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.tsx?$/.test(name) && !/\.test\./.test(name))
  .map((name) => ({ name, text: readFileSync(`islands/${name}`, 'utf8') }));

beforeEach(() => localStorage.clear());

test('two scripts write to the local storage, and no other can', () => {
  const writers = sources
    .filter(({ text }) => /localStorage|indexedDB|document\.cookie/.test(text))
    .map(({ name }) => name);
  expect(writers.sort()).toEqual(['application/region-mirror.ts', 'page/local-storage.ts']);
});

test('what lasts as long as the tab is kept by the bridge alone, and no cache or database by any', () => {
  const keepers = sources.filter(({ text }) => /sessionStorage|\bcaches\b|serviceWorker|window\.name/.test(text));
  expect(keepers.map(({ name }) => name)).toEqual(['native/bridge.ts']);
});

test('whatever a page carries, nothing but the eleven keys is written', () => {
  const all = Object.fromEntries([...KEYS, 'token', 'auth_code_', 'portico_session'].map((key) => [key, { id_: 1 }]));
  document.body.innerHTML = '<p></p>';
  document.body.firstElementChild?.setAttribute('data-mirror', JSON.stringify(all));
  mirror('?u=5&c=6&code=secret');
  mirrorRegions([{ code: '440000', name: '广东省' }], '440000', []);
  const written = Object.keys(localStorage).sort();
  expect(written).toEqual([...KEYS].sort());
  expect(JSON.stringify({ ...localStorage })).not.toContain('secret');
});

test('what an older wrapper left of a work-chat authorisation is taken away', () => {
  localStorage.setItem('WechatproCode', 'left');
  document.body.innerHTML = `<p data-mirror='{"WechatproCode":null}'></p>`;
  mirror('');
  expect(localStorage.getItem('WechatproCode')).toBeNull();
});
