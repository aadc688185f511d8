// Shows the description of the API with Redoc, in place of the list that the page has without scripts.

// Redoc searches in a worker that it makes with eval, which the page forbids. Without workers it searches in the page.
globalThis.Worker = undefined;
const [{ init }, answer] = await Promise.all([import('./redoc.js'), fetch('/openapi.json')]);

// Code, and the names of settings, headers, parameters, codes and calls within running text.
const wireNames = new RegExp(
  [
    '`[^`]*`',
    '\\bPORTICO_[A-Z]+=[a-z]+|\\bwx\\.[A-Za-z]+',
    '\\bX-[A-Z][A-Za-z-]*[a-z]|\\b(?:Idempotency-Key|Accept-Language|If-None-Match|ETag)\\b',
    '\\b[a-z]+(?:_[a-z]+)*_\\b|\\b[a-z]+(?:_[a-z]+)+\\b|\\b[a-z]+[A-Z][A-Za-z]+\\b',
  ].join('|'),
  'g',
);

/** Marks the names within a description, and links those of calls. */
function markUp(description, routes) {
  return description.replace(wireNames, (found) => {
    const name = found.replaceAll('`', '');
    const code = found.startsWith('`') ? found : `\`${found}\``;
    return routes.has(name) ? `[${code}](${routes.get(name)})` : code;
  });
}

const codes = (all) => all.map((code) => `[\`${code}\`](#/section/refusals)`).join(', ');

/** The rows of the page's table of refusals as a list in Markdown. */
function catalogue() {
  const rows = Array.from(document.querySelector('table').tBodies[0].rows, (row) => row.cells);
  return rows.map(([code, status, text]) => `- \`${code.textContent}\` (${status.textContent}): ${text.textContent}`);
}

const text = await answer.text();
const calls = Object.values(JSON.parse(text).paths).flatMap(Object.values);
const slug = (name) => name.toLowerCase().replaceAll(' ', '-');
const routes = new Map(calls.map((c) => [c.operationId, `#/${slug(c.tags[0])}/${slug(c.operationId)}`]));
const spec = JSON.parse(text.replaceAll('https://api.example.com', location.origin), (key, value) =>
  key === 'description' && typeof value === 'string' ? markUp(value, routes) : value,
);
spec.servers = [{ url: location.origin }];
const common = codes(spec['x-common-refusals']);
spec.info.description += `\n\n## Refusals\n\nEvery call may answer ${common}.\n\n${catalogue().join('\n')}`;
for (const call of Object.values(spec.paths).flatMap(Object.values)) {
  call.description = [call.summary, call.description].filter(Boolean).join('\n\n');
  call.summary = call.operationId; // what the contents show
  if (call['x-refusals']?.length) call.responses[200].description += `\n\nRefusals: ${codes(call['x-refusals'])}`;
}

// Links to the list, like #mixedLogin, lead to the same call.
const route = routes.get(location.hash.slice(1));
if (route) history.replaceState(null, '', route);
const main = document.querySelector('main');
main.className = '';
init(spec, { router: 'hash', disableTelemetry: true }, main);
