// @vitest-environment node
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, expect, it } from 'vitest';

const dir = mkdtempSync(join(tmpdir(), 'portico-openapi-'));
afterEach(() => rmSync(dir, { recursive: true }));

const tools = resolve('api/testdata/typescript');

function run(script: string, ...args: string[]): string {
  try {
    return execFileSync(process.execPath, [script, ...args], { cwd: dir, encoding: 'utf8', stdio: 'pipe' });
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    return `failed:\n${stdout}${stderr}`;
  }
}

it('openapi-typescript generates types from the description that narrow by status and by code', () => {
  const generator = join(tools, 'node_modules/openapi-typescript/bin/cli.js');
  expect(run(generator, resolve('api/openapi.json'), '-o', 'api.ts')).not.toContain('failed');
  copyFileSync(join(tools, 'narrow.ts'), join(dir, 'narrow.ts'));
  expect(
    run(resolve('node_modules/typescript/bin/tsc'), '--strict', '--noEmit', '--pretty', 'false', 'narrow.ts'),
  ).toBe('');
}, 120_000);
