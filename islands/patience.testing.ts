import { vi } from 'vitest';

// Waiting has one limit in all tests. It is far more than an idle machine needs, because tests also run on a busy one.
const PATIENCE_MS = 60_000;

const { waitFor } = vi;

vi.waitFor = (check, options = { timeout: PATIENCE_MS }) => waitFor(check, options);
vi.setConfig({ testTimeout: PATIENCE_MS, hookTimeout: PATIENCE_MS });
