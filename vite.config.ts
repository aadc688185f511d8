import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { visualizer } from 'rollup-plugin-visualizer';
import type { Plugin } from 'vite';
import { defineConfig } from 'vitest/config';

// REAL_REACT=1 builds the islands, and runs their hydration test, on React itself (a devDependency that is never
// shipped: 59 KB more): so one sees that nothing leans on Preact.
const realReact = process.env.REAL_REACT === '1';

export default defineConfig({
  base: '/assets/',
  publicDir: false,
  resolve: {
    alias: realReact
      ? []
      : [{ find: /^react(\/jsx-runtime|-dom\/client)?$/, replacement: join(import.meta.dirname, 'islands/preact.ts') }],
  },
  oxc: { jsx: { runtime: 'automatic', importSource: 'react', development: false } },
  build: {
    outDir: 'assets/dist',
    assetsDir: '',
    emptyOutDir: false, // dist() does, but for .keep
    manifest: 'manifest.json',
    modulePreload: false,
    // What Preact 11 needs (queueMicrotask); the loader leaves older browsers the plain HTML. WeChat on Android brings a
    // kernel of its own, 86 or later, but system WebViews of phones without Play Store stay at what they were sold with.
    // Against es2022 the older syntax costs 50 bytes.
    target: ['es2018', 'chrome71', 'safari12.1', 'firefox69'],
    // 'all': or the first script would carry the constants of the others (islands/constants.ts).
    rolldownOptions: { input: 'islands/index.ts', optimization: { inlineConst: { mode: 'all', pass: 2 } } },
  },
  worker: { format: 'iife' }, // module workers came with Chrome 80, Safari 15
  plugins: [
    plainImports(),
    askedAfresh(),
    dist(),
    process.env.VISUALIZE === '1' && visualizer({ filename: 'bin/islands.html', brotliSize: true }),
  ],
  test: {
    environment: 'happy-dom',
    include: realReact ? ['islands/hydration.test.ts'] : ['islands/*.test.{ts,tsx}', 'docs/client/*.test.ts'],
  },
});

/** Takes Vite's helper from around import(): 650 bytes that preload style sheets, and islands have none. */
function plainImports(): Plugin {
  return {
    name: 'plain-imports',
    apply: 'build',
    transform: {
      filter: { id: /vite\/preload-helper/ },
      handler: () => 'export const __vitePreload = (load) => load()',
    },
  };
}

/**
 * Gives each late import a parameter that is put behind the script's address: browsers remember that an address failed, and
 * loader.ts asks for another the second time. The server looks at the path alone.
 */
function askedAfresh(): Plugin {
  const whole = /\(\)=>[\w$]+\(\(\)=>import\((`[^`]+`)\)((?:\.then\([^()]+\))?),\[\]\)/g;
  const named = /\(\)=>[\w$]+\(async\(\)=>\{let\{(\w+):(\w+)\}=await import\((`[^`]+`)\);return\{\1:\2\}\},\[\]\)/g;
  return {
    name: 'asked-afresh',
    apply: 'build',
    enforce: 'post',
    generateBundle: {
      order: 'post',
      handler(_, bundle) {
        for (const chunk of Object.values(bundle)) {
          if (chunk.type === 'chunk') {
            chunk.code = chunk.code.replace(whole, 'q=>import($1+q)$2').replace(named, 'q=>import($3+q)');
          }
        }
      },
    },
  };
}

/** Empties the output folder but for its .keep, and lays a .br and a .gz beside each script. */
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
        writeFileSync(`${path}.br`, brotliCompressSync(code, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }));
      }
    },
  };
}
