import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Rolldown } from 'vite';

/** What the browser test measured of a page: the names of its scripts, with spaces between them. */
type Page = { chunks: string };

/**
 * The text of docs/bundle.md: the size and the parts of each script, and the pages that load it. `dir` is where
 * the scripts and their compressed forms were written.
 */
export function bundleReport(dir: string, bundle: Rolldown.OutputBundle): string {
  const scripts = Object.values(bundle)
    .filter(({ fileName }) => fileName.endsWith('.js'))
    .map((file) => ({
      name: nameOf(file.fileName),
      bytes: readFileSync(join(dir, file.fileName)).length,
      brotli: readFileSync(join(dir, `${file.fileName}.br`)).length,
      imports: file.type === 'chunk' ? file.imports.map(nameOf) : [],
      later: file.type === 'chunk' ? file.dynamicImports.map(nameOf) : [],
      parts: file.type === 'chunk' ? [...new Set(file.moduleIds.map(partName))].sort() : [],
    }))
    .sort((a, b) => a.name.localeCompare(b.name));
  const pages: Record<string, Page> = JSON.parse(readFileSync('e2e/page/budgets.json', 'utf8'));

  const rows = scripts.map(({ name, bytes, brotli, imports, later, parts }) =>
    row(name, bytes, brotli, list(imports), list(later), list(parts)),
  );
  const all = row('all', sum(scripts.map(({ bytes }) => bytes)), sum(scripts.map(({ brotli }) => brotli)), '', '', '');
  const pageRows = Object.entries(pages).map(([page, { chunks }]) => {
    const loaded = scripts.filter(({ name }) => chunks.split(' ').includes(name));
    return row(`\`${page}\``, list(chunks.split(' ')), sum(loaded.map(({ brotli }) => brotli)));
  });
  return `# What the scripts weigh

\`make build-report\` writes this page from what vite built, and a treemap to \`bin/islands.html\`. Sizes are in
bytes; br is brotli at its best. A chunk loads its imports with it, and its late imports when they are needed.
\`work-worker\` does the proof of work that the server may ask for.

| chunk | bytes | br | imports | late imports | made of |
|---|---|---|---|---|---|
${rows.join('\n')}
${all}

What each page loads when it is opened, as \`TestNoPageLoadsMoreThanItsBudget\` found it in a browser
(\`e2e/page/budgets.json\`):

| page | chunks | br |
|---|---|---|
${pageRows.join('\n')}
`;
}

/** `more` of `more-BU311qW_.js`. */
function nameOf(fileName: string): string {
  return fileName.slice(0, -'-BU311qW_.js'.length);
}

/** `code.tsx` of a module of ours, `preact/compat` of a package's. */
function partName(id: string): string {
  const [, inPackage] = id.split('node_modules/');
  if (!inPackage) {
    return basename(id);
  }
  const [owner = '', part = ''] = inPackage.split('/');
  return ['dist', 'src'].includes(part) ? owner : `${owner}/${part}`;
}

function list(names: string[]): string {
  return names.join(', ') || '–';
}

function row(...cells: (string | number)[]): string {
  return `| ${cells.join(' | ')} |`;
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
