import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { visualizer } from 'rollup-plugin-visualizer';
import type { Plugin } from 'vite';
import { defineConfig } from 'vitest/config';
import { bundleReport } from './bundlereport.ts';

// REAL_REACT=1 builds and tests the islands with React itself, which is never shipped (it is 50 KB more), so that
// nothing depends on Preact.
const realReact = process.env.REAL_REACT === '1';

// BUNDLE_REPORT=1 also writes the sizes of the scripts to docs/bundle.md, and a treemap to bin/islands.html.
const withReport = process.env.BUNDLE_REPORT === '1';

/** The islands are written for React and run on Preact. */
const preactForReact = {
  'react/jsx-runtime': 'preact/jsx-runtime',
  'react-dom/client': 'preact/compat/client',
  'react-dom': 'preact/compat',
  react: 'preact/compat',
  '@testing-library/react': '@testing-library/preact',
};

/** The tests. With React itself, only those of components run. */
const tested = realReact
  ? ['islands/**/*.test.tsx', 'islands/{index,loader,more}.test.ts']
  : ['islands/**/*.test.{ts,tsx}', 'docs/client/*.test.ts'];

/**
 * The tests that need a process of their own: with components, workers, requests to servers, patched globals, listeners
 * of the document that stay, and addresses. The others share one document.
 */
const apart = ['islands/**/*.test.tsx', 'islands/loader.test.ts'].concat(
  realReact
    ? []
    : [
        'islands/native/bridge.test.ts',
        'islands/page/{fragments,offline,pull}.test.ts',
        'islands/verification/work.test.ts',
        'docs/client/*.test.ts',
      ],
);

export default defineConfig({
  base: '/assets/',
  publicDir: false,
  resolve: { alias: realReact ? {} : preactForReact },
  oxc: { jsx: { runtime: 'automatic', importSource: 'react', development: false } },
  build: {
    outDir: 'assets/dist',
    assetsDir: '',
    emptyOutDir: false, // dist() empties it and keeps .keep
    manifest: 'manifest.json',
    modulePreload: false,
    // What Preact 11 needs (queueMicrotask); the loader leaves older browsers the plain HTML. WeChat on Android
    // brings a kernel of its own, 86 or later, but system WebViews of phones without Play Store stay at what they
    // were sold with. Against es2022 the older syntax costs 50 bytes.
    target: ['es2018', 'chrome71', 'safari12.1', 'firefox69'],
    rolldownOptions: { input: 'islands/index.ts' },
  },
  worker: { format: 'iife' }, // module workers came with Chrome 80, Safari 15
  plugins: [
    wechatAsModule(),
    htmxForOldEngines(),
    chunkFiles(),
    dist(),
    !realReact && redoc(),
    withReport && report(),
    withReport && visualizer({ filename: 'bin/islands.html', title: 'The islands of Portico', brotliSize: true }),
  ],
  test: {
    environment: 'happy-dom',
    setupFiles: 'islands/patience.testing.ts',
    // Loading happy-dom takes longer than most tests, so most test files share it, each in a context of its own.
    projects: [
      { extends: true, test: { name: 'shared', pool: 'vmThreads', include: tested, exclude: apart } },
      { extends: true, test: { name: 'apart', include: apart } },
    ],
  },
});

/**
 * Makes WeChat's script an ES module. As a CommonJS module it would need a helper, which the build puts into a file
 * that every page loads.
 */
function wechatAsModule(): Plugin {
  return {
    name: 'wechat-as-module',
    apply: 'build',
    transform(code, id) {
      return id.includes('/weixin-js-sdk/')
        ? `const module = { exports: {} };\n${code}\nexport default module.exports;`
        : null;
    },
  };
}

/**
 * Takes a selector out of htmx that Chromium 83 does not know (`:not` with more than one element, Chromium 88). A title
 * in a picture is never meant: the title of a page is the first one in what the server sends.
 */
function htmxForOldEngines(): Plugin {
  return {
    name: 'htmx-for-old-engines',
    apply: 'build',
    transform(code, id) {
      if (!id.includes('/htmx.org/')) {
        return null;
      }
      if (!code.includes("'title:not(svg title)'")) {
        this.error('htmx has no such selector any more: remove this plugin');
      }
      return code.replace("'title:not(svg title)'", "'title'");
    },
  };
}

/** Writes the file names of the lazily loaded chunks into islands/chunks.ts. */
function chunkFiles(): Plugin {
  return {
    name: 'chunk-files',
    apply: 'build',
    generateBundle(_, bundle) {
      const chunks = Object.values(bundle).filter((file) => file.type === 'chunk');
      const late = chunks.filter((chunk) => chunk.isDynamicEntry).map(({ name, fileName }) => [name, fileName]);
      const reader = chunks.find(({ code }) => code.includes('%CHUNK_FILES%'));
      if (!reader) {
        this.error('no chunk holds %CHUNK_FILES%, which islands/chunks.ts reads');
      }
      reader.code = reader.code.replace('%CHUNK_FILES%', `${new URLSearchParams(late)}`);
    },
  };
}

/** Empties the output folder except for .keep, and writes a .br and a .gz beside each script. */
function dist(): Plugin {
  return {
    name: 'dist',
    apply: 'build',
    generateBundle({ dir }) {
      mkdirSync(dir as string, { recursive: true });
      for (const name of readdirSync(dir as string).filter((name) => name !== '.keep')) {
        rmSync(join(dir as string, name), { recursive: true });
      }
    },
    writeBundle({ dir }, bundle) {
      for (const name of Object.keys(bundle).filter((name) => name.endsWith('.js'))) {
        const path = join(dir as string, name);
        const code = readFileSync(path);
        writeFileSync(`${path}.gz`, gzipSync(code, { level: 9 }));
        writeFileSync(`${path}.br`, brotli(code));
      }
    },
  };
}

function brotli(code: Buffer, quality = 11): Buffer {
  return brotliCompressSync(code, { params: { [constants.BROTLI_PARAM_QUALITY]: quality } });
}

/**
 * Copies Redoc, which renders the page about the API, into the output folder: only its brotli form, because the program
 * contains it. The best quality would take six seconds and save a tenth. The picture of its logo is taken out,
 * because it would come from another host.
 */
function redoc(): Plugin {
  return {
    name: 'redoc',
    apply: 'build',
    writeBundle({ dir }) {
      const code = readFileSync('node_modules/redoc/bundles/redoc.standalone.js', 'utf8');
      const logo = /https:\/\/cdn\.redoc\.ly\/redoc\/logo-mini(-full)?\.svg/g;
      writeFileSync(join(dir as string, 'redoc.js.br'), brotli(Buffer.from(code.replace(logo, 'data:,')), 9));
    },
  };
}

/** Writes docs/bundle.md. */
function report(): Plugin {
  return {
    name: 'report',
    apply: 'build',
    writeBundle: {
      order: 'post',
      handler({ dir }, bundle) {
        writeFileSync('docs/bundle.md', bundleReport(dir as string, bundle));
      },
    },
  };
}
