import { readdirSync, readFileSync } from 'node:fs';
import { beforeEach, expect, test } from 'vitest';
import { mirrorRegions } from './application/region-mirror';
import { KEYS } from './constants';
import { mirror } from './page/local-storage';

const sources = readdirSync('islands', { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.tsx?$/.test(name) && !/\.test\./.test(name))
  .map((name) => ({ name, text: readFileSync(`islands/${name}`, 'utf8') }));

beforeEach(() => localStorage.clear());

test('only two scripts use local storage', () => {
  const writers = sources
    .filter(({ text }) => /localStorage|indexedDB|document\.cookie/.test(text))
    .map(({ name }) => name);
  expect(writers.sort()).toEqual(['application/region-mirror.ts', 'page/local-storage.ts']);
});

test('only the bridge uses session storage, and no script uses caches or service workers', () => {
  const users = sources.filter(({ text }) => /sessionStorage|\bcaches\b|serviceWorker|window\.name/.test(text));
  expect(users.map(({ name }) => name)).toEqual(['native/bridge.ts']);
});

test('no other key than the eleven is written, whatever the page contains', () => {
  const values = Object.fromEntries(
    [...KEYS, 'token', 'auth_code_', 'portico_session'].map((key) => [key, { id_: 1 }]),
  );
  document.body.innerHTML = '<p></p>';
  document.body.firstElementChild?.setAttribute('data-mirror', JSON.stringify(values));
  mirror('?u=5&c=6&code=secret');
  mirrorRegions([{ code: '440000', name: '广东省' }], '440000', []);
  const written = Object.keys(localStorage).sort();
  expect(written).toEqual([...KEYS].sort());
  expect(JSON.stringify({ ...localStorage })).not.toContain('secret');
});

test('the WeCom code that an older wrapper stored is removed', () => {
  localStorage.setItem('WechatproCode', 'left');
  document.body.innerHTML = `<p data-mirror='{"WechatproCode":null}'></p>`;
  mirror('');
  expect(localStorage.getItem('WechatproCode')).toBeNull();
});
