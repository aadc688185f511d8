// @vitest-environment node
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { components, operations } from './openapi';

const dir = mkdtempSync(join(tmpdir(), 'portico-openapi-'));
afterAll(() => rmSync(dir, { recursive: true }));

test('openapi.d.ts is what openapi-typescript generates from the description', () => {
  const generator = 'api/testdata/typescript/node_modules/openapi-typescript/bin/cli.js';
  const file = join(dir, 'openapi.d.ts');
  execFileSync(process.execPath, [generator, 'api/openapi.json', '-o', file], { stdio: 'pipe' });
  const current = readFileSync('docs/client/openapi.d.ts', 'utf8');
  expect(current === readFileSync(file, 'utf8'), 'run npm run client-types').toBe(true);
}, 120_000);

type Answer = operations['mixedLogin']['responses']['200']['content']['application/json'];

const refusal: components['schemas']['BusinessRefusal'] = {
  status: 1002,
  code: 'wrong_password',
  message: '',
  data: { left_: 9 },
  request_id: '7f3a',
};

// The compiler checks these two: the lines marked "expect-error" must be errors.

test('the type of an answer narrows by status', () => {
  const byStatus = (answer: Answer) => {
    if (answer.status === 1) {
      // @ts-expect-error a sign-in has no tries left
      answer.data.left_;
      return answer.data.ticket_;
    }
    // @ts-expect-error a refusal has no ticket
    answer.data?.ticket_;
    return answer.data?.left_;
  };
  expect(byStatus(refusal)).toBe(9);
});

test('the type of an answer narrows by code', () => {
  const byCode = (answer: Answer) => {
    switch (answer.code) {
      case 'ok':
        return answer.data.ticket_;
      case 'wrong_password':
        return answer.data?.left_;
      default:
        return answer.message;
    }
  };
  expect(byCode(refusal)).toBe(9);
});
