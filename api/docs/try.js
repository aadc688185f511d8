// A form that signs and makes calls, where the program runs for development. The secret is typed in and stays in this
// page's memory; nothing is stored.

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

/** Shows an answer, and puts its token into the form. */
async function show(form, said, out, { curl, answer }) {
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
  if (token) form.elements['.token'].value = token;
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

/** The form for all calls, and a function that shows the parameters of one. */
function formFor(calls) {
  const out = el('div', { className: 'out' });
  const said = el('p', { className: 'wide' }); // read aloud; the answer below it is not
  said.setAttribute('role', 'status');
  const button = el('button', {}, 'Send');
  const own = el('fieldset');
  const choice = el('select', { name: '.call' }, ...calls.map(({ id }) => el('option', { value: id }, id)));
  const chosen = () => calls.find(({ id }) => id === choice.value);
  const types = ['APP', 'WEBAPP', 'PC'].map((v) => el('option', { value: v }, v));
  const form = el(
    'form',
    {},
    field('Call', choice),
    field('Secret (kept in this page only)', Object.assign(input('.secret'), { required: true })),
    field('X-Token', input('.token')),
    field('X-Token-Type', el('select', { name: '.type' }, ...types)),
    own,
    button,
    el('button', { type: 'button', className: 'close', onclick: () => form.parentNode.close() }, 'Close'),
    said,
    out,
  );
  const choose = (id) => {
    choice.value = id;
    const fields = chosen().parameters.map((p) => field(p.required ? p.name : `${p.name} (optional)`, control(p)));
    own.replaceChildren(...fields);
    out.replaceChildren();
    tell(said, '');
  };
  choice.addEventListener('change', () => choose(choice.value));
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
      await show(form, said, out, await send(chosen(), form));
    } catch (trouble) {
      out.replaceChildren();
      tell(said, `No answer came: ${trouble.message}. Is the program still running?`);
    }
    button.ariaDisabled = 'false';
    button.textContent = 'Send';
  });
  return { form, choose };
}

async function start() {
  const spec = await (await fetch('/openapi.json')).json();
  const calls = Object.entries(spec.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      id: operation.operationId,
      path,
      method: method.toUpperCase(),
      parameters: parametersOf(spec, operation),
    })),
  );
  const { form, choose } = formFor(calls);
  choose(calls[0].id);
  const dialog = el('dialog', { className: 'try', ariaLabel: 'Try a call' }, form);
  const open = el('button', { className: 'open' }, 'Try a call');
  open.addEventListener('click', () => {
    // The call that the page shows: #mixedLogin of the list, or #/sign-in/mixedlogin of Redoc.
    const shown = location.hash.toLowerCase().split(/[/#]/);
    const call = calls.find(({ id }) => shown.includes(id.toLowerCase()));
    if (call && call.id !== form.elements['.call'].value) choose(call.id);
    dialog.showModal();
  });
  document.body.append(open, dialog);
}

if (globalThis.document) start();
