import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { mirrorRegions } from './region-mirror';

const provinces = [
  { code: '440000', name: '广东省' },
  { code: '110000', name: '北京市' },
];
const guangzhou = { code: '440100', name: '广州市', children: [{ code: '440106', name: '天河区' }] };
const beijing = { code: '110100', name: '北京市', children: [] };
const storedRegions = () => JSON.parse(localStorage.getItem('regionTreeList') || 'null');

beforeEach(() => localStorage.clear());
afterEach(() => vi.unstubAllGlobals());

test('regions are stored with the field names of the API, and the cities stored before stay', () => {
  mirrorRegions(provinces, '440000', [guangzhou]);
  mirrorRegions(provinces, '110000', [beijing]);
  expect(storedRegions()).toEqual([
    {
      code_: '440000',
      name_: '广东省',
      children_: [
        { code_: '440100', name_: '广州市', children_: [{ code_: '440106', name_: '天河区', children_: [] }] },
      ],
    },
    { code_: '110000', name_: '北京市', children_: [{ code_: '110100', name_: '北京市', children_: [] }] },
  ]);
  expect(Object.keys(localStorage)).toEqual(['regionTreeList']);
});

test.each(['{broken', '7', '[null]', '{}'])('a stored text that is not a list of regions is replaced: %s', (text) => {
  localStorage.setItem('regionTreeList', text);
  mirrorRegions(provinces, '440000', [guangzhou]);
  expect(storedRegions()[0].children_).toHaveLength(1);
  expect(storedRegions()[1].children_).toEqual([]);
});

test('mirrorRegions does not throw when local storage is full', () => {
  vi.stubGlobal('localStorage', {
    getItem: () => null,
    setItem: () => {
      throw new Error('quota');
    },
  });
  expect(() => mirrorRegions(provinces, '440000', [guangzhou])).not.toThrow();
});
