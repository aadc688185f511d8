import { createHash, createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { type Options, Portico, Refused } from './client';

// A server for the tests of the client. It records the requests, answers as the test says, and checks the signature of
// every request. A test file that imports this module gets a server of its own.

const secret = 'a secret of the test';

/** A request as the server received it. */
export type SeenRequest = { method: string; url: URL; headers: IncomingHttpHeaders; body: string };

/** Answers one request. */
export type Answer = (request: SeenRequest, response: ServerResponse) => void;

/** The address of the server of this test file. */
export let address: string;

/** The requests of the running test. */
export let requests: SeenRequest[];

let server: Server;
let answers: Answer[];

/** Sets the server's answers to the next requests. A test fails if some are left; further requests get a null. */
export function answerWith(...list: Answer[]): void {
  answers = list;
}

beforeAll(async () => {
  server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) {
      body += chunk;
    }
    const url = new URL(request.url as string, address);
    const seen = { method: request.method as string, url, headers: request.headers, body };
    requests.push(seen);
    (answers.shift() ?? ok(null))(seen, response);
  });
  server.keepAliveTimeout = 0; // on a busy machine, it would end a connection just when a request is sent on it
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

beforeEach(() => {
  requests = [];
  answers = [];
});

afterEach(() => {
  expect(answers).toEqual([]);
  for (const request of requests) {
    expect(request.headers['x-sign'], request.url.href).toBe(signature(request));
  }
});

/** The signature that a request should have, computed from the received request as a server does. */
function signature({ url, headers, body }: SeenRequest): string {
  const parameters = [...url.searchParams];
  if (headers['content-type'] === 'application/json') {
    parameters.push(['body', createHash('sha256').update(body).digest('hex')]);
  } else {
    parameters.push(...new URLSearchParams(body));
  }
  const encode = (text: string) =>
    encodeURIComponent(text).replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);
  const params = parameters
    .sort(
      ([a, x], [b, y]) =>
        Buffer.compare(Buffer.from(a), Buffer.from(b)) || Buffer.compare(Buffer.from(x), Buffer.from(y)),
    )
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .join('&');
  const { 'x-token': token, 'x-timestamp': timestamp, 'x-nonce': nonce } = headers;
  return createHmac('sha256', secret).update(`${token}\n${timestamp}\n${nonce}\n${params}`).digest('hex');
}

/** Answers with an HTTP status and an envelope. */
export function reply(http: number, envelope: object, headers: Record<string, string> = {}): Answer {
  return (_, response) => {
    response.writeHead(http, { 'Content-Type': 'application/json', ...headers });
    response.end(JSON.stringify(envelope));
  };
}

/** Answers with success and data. */
export function ok(data: unknown): Answer {
  return reply(200, { status: 1, code: 'ok', message: '', data, request_id: 'r1' });
}

/** Answers with a refusal of the error catalogue. */
export function refusal(http: number, status: number, code: string, data: unknown = null, headers = {}): Answer {
  return reply(http, { status, code, message: `message of ${code}`, data, request_id: 'r2' }, headers);
}

/** A client of the server. */
export function portico(options: Partial<Options> = {}): Portico {
  return new Portico({ address, secret, tokenType: 'APP', appSource: 'IOS', ...options });
}

/** Waits for a call to be refused and returns the error. Fails the test if the call succeeds. */
export async function refused(call: Promise<unknown>): Promise<Refused> {
  const error = await call.then(
    (data) => expect.fail(`the call returned ${JSON.stringify(data)}`),
    (error: unknown) => error,
  );
  expect(error).toBeInstanceOf(Refused);
  return error as Refused;
}

/** Returns the only request of the test. Fails the test if there were more or none. */
export function onlyRequest(): SeenRequest {
  expect(requests).toHaveLength(1);
  return requests[0] as SeenRequest;
}
