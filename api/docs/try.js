// Tries the served calls from the page, where the program runs for development. The secret is typed in and
// stays in this page's memory; nothing is stored.

const upper = (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`;
const encode = (s) => encodeURIComponent(s).replace(/[!'()*]/g, upper);
// Code points, padded: compares as the bytes of UTF-8 do, which UTF-16 units do not.
const rank = (s) => Array.from(s, (c) => c.codePointAt(0).toString(16).padStart(6, '0')).join('');
const compare = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
const hex = (bytes) => Array.from(new Uint8Array(bytes), (b) => b.toString(16).padStart(2, '0')).join('');
const bytes = (s) => new TextEncoder().encode(s);

/** The params text of the signature. parameters: [name, value] pairs; json: the body's exact text, or null. */
export async function canonical(parameters, json = null) {
  const all = parameters.map(([name, value]) => [name, value]);
  if (json !== null) all.push(['body', hex(await crypto.subtle.digest('SHA-256', bytes(json)))]);
  all.sort((a, b) => compare(rank(a[0]), rank(b[0])) || compare(rank(a[1]), rank(b[1])));
  return all.map(([name, value]) => `${encode(name)}=${encode(value)}`).join('&');
}

/** X-Sign of a call. */
export async function sign(secret, token, timestamp, nonce, params) {
  const key = await crypto.subtle.importKey('raw', bytes(secret), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  return hex(await crypto.subtle.sign('HMAC', key, bytes([token, timestamp, nonce, params].join('\n'))));
}

const quote = (s) => `'${s.replaceAll("'", `'\\''`)}'`;
const shown = ['content-type', 'retry-after', 'etag', 'x-request-id'];
const longest = 20000; // characters of an answer that are shown

function el(name, properties = {}, ...children) {
  const node = Object.assign(document.createElement(name), properties);
  node.append(...children);
  return node;
}

function field(text, control) {
  return el('label', {}, text, control);
}

function input(name, value = '') {
  return el('input', { name, value, autocomplete: 'off', spellcheck: false, autocapitalize: 'off' });
}

// What every form shares is typed once: a change in one shows in all.
function shared(control, name) {
  control.dataset.shared = name;
  control.addEventListener('input', () => share(name, control.value));
  return control;
}

function share(name, value) {
  for (const each of document.querySelectorAll(`[data-shared="${name}"]`)) if (each.value !== value) each.value = value;
}

/** The call's own parameters, from the description. */
function parametersOf(spec, operation) {
  const own = (operation.parameters ?? []).filter((p) => p.name).map((p) => ({ ...p, example: p.example ?? '' }));
  const ref = operation.requestBody?.content['application/json'].schema.$ref;
  const body = ref && spec.components.schemas[ref.split('/').pop()];
  for (const [name, schema] of Object.entries(body?.properties ?? {})) {
    const required = body.required?.includes(name);
    own.push({ name, schema, in: 'body', required, example: (required && schema.examples?.[0]) ?? '' });
  }
  return own;
}

function control(p) {
  if (!p.schema.enum) return input(p.name, String((p.required && p.example) || ''));
  const options = p.schema.enum.map((v) => el('option', { value: v }, String(v)));
  return el('select', { name: p.name }, ...(p.required ? [] : [el('option', { value: '' }, '')]), ...options);
}

async function send(call, form) {
  const value = (name) => form.elements[name].value;
  const token = value('.token').trim();
  const timestamp = String(Date.now());
  const nonce = String(Date.now() + Math.floor(Math.random() * 10000));
  const pairs = call.parameters.filter((p) => p.in !== 'path').map((p) => [p.name, value(p.name)]);
  const given = pairs.filter(([, v]) => v !== '');
  const path = call.parameters
    .filter((p) => p.in === 'path')
    .reduce((s, p) => s.replace(`{${p.name}}`, encode(value(p.name))), call.path);
  const params = await canonical(given);
  const headers = {
    'X-Token': token,
    'X-Timestamp': timestamp,
    'X-Nonce': nonce,
    'X-Token-Type': value('.type'),
    'X-App-Source': { APP: 'IOS', WEBAPP: 'WEBAPP', PC: 'PC' }[value('.type')],
    'Accept-Language': 'en',
    'X-Sign': await sign(value('.secret'), token, timestamp, nonce, params),
  };
  const post = call.method === 'POST';
  if (post) headers['Content-Type'] = 'application/x-www-form-urlencoded';
  const address = path + (!post && params ? `?${params}` : '');
  const options = {
    method: call.method,
    headers,
    body: post ? params : undefined,
    cache: 'no-store',
    credentials: 'omit',
  };
  const written = Object.entries(headers).map(([n, v]) => `  -H ${quote(v ? `${n}: ${v}` : `${n};`)}`);
  const curl = [
    `curl ${quote(location.origin + address)}`,
    ...written,
    ...(post ? [`  --data ${quote(params)}`] : []),
  ].join(' \\\n');
  return { curl, answer: await fetch(address, options) };
}

async function show(said, out, { curl, answer }) {
  const text = await answer.text();
  let pretty = text;
  let envelope = null;
  try {
    envelope = JSON.parse(text);
    pretty = JSON.stringify(envelope, null, 2);
  } catch {} // no JSON: shown as it came
  if (pretty.length > longest) pretty = `${pretty.slice(0, longest)}\n… ${pretty.length - longest} more characters`;
  const fine = answer.ok && envelope?.status === 1;
  const message = envelope && !fine ? `: ${envelope.message}` : '';
  const headers = shown.filter((n) => answer.headers.has(n)).map((n) => `${n}: ${answer.headers.get(n)}`);
  const code = envelope ? ` · ${envelope.status} ${envelope.code}` : '';
  tell(said, el('strong', {}, `HTTP ${answer.status}${code}`, message), fine);
  out.replaceChildren(
    pre(headers.join('\n'), 'Headers of the answer'),
    pre(pretty, 'The answer'),
    el('p', {}, 'The same call with curl, signed for five minutes; a call with an effect takes it once.'),
    pre(curl, 'The same call with curl'),
  );
  const data = envelope?.data;
  const token = data?.token_ || data?.user_?.token_ || data?.ticket_;
  if (token) share('token', token);
}

function tell(said, text, fine = false) {
  said.className = fine ? '' : 'no';
  said.replaceChildren(text);
}

function pre(text, label) {
  const node = el('pre', { tabIndex: 0 }, el('code', {}, text));
  node.setAttribute('role', 'group');
  node.setAttribute('aria-label', label);
  return node;
}

function formFor(call) {
  const out = el('div', { className: 'out' });
  const said = el('p'); // read aloud; the answer below it is not
  said.setAttribute('role', 'status');
  const button = el('button', {}, 'Send');
  const secret = Object.assign(input('.secret'), { required: true });
  const types = ['APP', 'WEBAPP', 'PC'].map((v) => el('option', { value: v }, v));
  const form = el(
    'form',
    {},
    field('Secret (kept in this page only)', shared(secret, 'secret')),
    field('X-Token', shared(input('.token'), 'token')),
    field('X-Token-Type', shared(el('select', { name: '.type' }, ...types), 'type')),
    ...call.parameters.map((p) => field(p.required ? p.name : `${p.name} (optional)`, control(p))),
    button,
    said,
    out,
  );
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    if (button.ariaDisabled === 'true') return; // not disabled, which would drop the focus
    if (!globalThis.crypto?.subtle) {
      tell(said, 'This browser signs only on https or on localhost. Open the page there.');
      return;
    }
    button.ariaDisabled = 'true';
    button.textContent = 'Sending…';
    try {
      await show(said, out, await send(call, form));
    } catch (trouble) {
      out.replaceChildren();
      tell(said, `No answer came: ${trouble.message}. Is the program still running?`);
    }
    button.ariaDisabled = 'false';
    button.textContent = 'Send';
  });
  return el('details', { className: 'try' }, el('summary', {}, 'Try it'), form);
}

async function start() {
  const spec = await (await fetch('/openapi.json')).json();
  for (const [path, methods] of Object.entries(spec.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const section = document.querySelector(`[data-try="${operation.operationId}"]`);
      section?.append(formFor({ path, method: method.toUpperCase(), parameters: parametersOf(spec, operation) }));
    }
  }
}

if (globalThis.document) start();
