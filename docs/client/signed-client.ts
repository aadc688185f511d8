import { dataOf, noResponse, Refused } from './refused';
import { canonical, type Parameter, sign } from './sign';
import type { Options, Params } from './types';

/** A call to be signed and sent. */
export type Call = {
  method: 'GET' | 'POST';
  path: string;
  params?: Params;
  /** A JSON body, which is sent instead of a form. */
  json?: string;
  idempotencyKey?: string | undefined;
  /** The call is sent without the client's token and ticket. */
  anonymous?: boolean;
};

const TIMEOUT_MS = 15_000;
const NONCE_RANGE = 10_000;
const NONCES_KEPT = 1_000;

/**
 * Signs and sends calls, and reads the responses. A call that the server refuses because the device's clock is wrong is
 * sent again with a corrected time; no other call is repeated.
 */
export class SignedClient {
  /** The login token; "" if there is none. Calls that sign in set it, and so may the app. */
  token = '';
  /** The ticket of a sign-in or an experience, sent while there is no token; "" if there is none. */
  ticket = '';
  /** May be changed between calls. */
  readonly options: Options;

  /** The server's clock minus the device's clock, in ms. */
  private offset = 0;
  private readonly nonces = new Set<number>();

  constructor(options: Options) {
    this.options = { ...options };
  }

  /** Sends a call and returns its data. If the clock is wrong, corrects it and sends the call once more. */
  async call<T>(call: Call): Promise<T> {
    try {
      return await this.callOnce<T>(call);
    } catch (error) {
      if (!(error instanceof Refused && error.code === 'sign_expired' && this.setClock(error.data?.server_time_))) {
        throw error;
      }
      return this.callOnce<T>(call);
    }
  }

  private async callOnce<T>(call: Call): Promise<T> {
    const parameters: Parameter[] = [];
    for (const name of Object.keys(call.params ?? {})) {
      const value = call.params?.[name];
      if (value !== null && value !== undefined) {
        parameters.push([name, String(value)]);
      }
    }
    const encoded = canonical(parameters);
    const init: RequestInit = { method: call.method, credentials: 'omit', redirect: 'error' };
    const headers = this.headers(call, call.json === undefined ? encoded : canonical(parameters, call.json));
    let url = this.options.address.replace(/\/+$/, '') + call.path;
    if (call.method === 'GET') {
      url += encoded && `?${encoded}`;
    } else {
      init.body = call.json ?? encoded;
      headers['Content-Type'] = call.json === undefined ? 'application/x-www-form-urlencoded' : 'application/json';
    }
    const { response, text } = await this.send(url, { ...init, headers });
    return dataOf<T>(response, text);
  }

  private headers(call: Call, params: string): Record<string, string> {
    const { secret, tokenType, appSource, language, companyId, edition } = this.options;
    const token = call.anonymous ? '' : this.token || this.ticket;
    const now = this.now();
    const timestamp = String(now);
    const nonce = this.nonce(now);
    const headers: Record<string, string> = {
      'X-Token': token,
      'X-Timestamp': timestamp,
      'X-Nonce': nonce,
      'X-Token-Type': tokenType,
      'X-App-Source': appSource,
      'X-Sign': sign(secret, { token, timestamp, nonce, params }),
    };
    if (language) {
      headers['Accept-Language'] = language;
    }
    if (companyId) {
      headers['X-Company-Id'] = String(companyId);
    }
    if (edition) {
      headers['X-Edition'] = edition;
    }
    if (call.idempotencyKey) {
      headers['Idempotency-Key'] = call.idempotencyKey;
    }
    return headers;
  }

  /** The server's time in Unix ms, as far as it is known. */
  private now(): number {
    return Math.round((this.options.now ?? Date.now)() + this.offset);
  }

  /** The time plus a random number below 10000. Never returns a nonce twice, even for two calls in the same ms. */
  private nonce(now: number): string {
    let nonce = now + Math.floor(Math.random() * NONCE_RANGE);
    while (this.nonces.has(nonce)) {
      nonce++;
    }
    if (this.nonces.size >= NONCES_KEPT) {
      this.nonces.forEach((used) => {
        if (used < now) {
          this.nonces.delete(used);
        }
      });
    }
    this.nonces.add(nonce);
    return String(nonce);
  }

  /** Corrects the clock by the server's time. Returns false if the server did not send it. */
  private setClock(serverTime: number | undefined): boolean {
    if (typeof serverTime !== 'number') {
      return false;
    }
    this.offset += serverTime - this.now();
    return true;
  }

  /**
   * Sends a request and returns the response with its text. Throws Refused if both have not arrived in time. The race
   * is needed for script engines and replacements of fetch that cannot abort a request.
   */
  private async send(url: string, init: RequestInit): Promise<{ response: Response; text: string }> {
    const aborter = typeof AbortController === 'function' ? new AbortController() : null;
    const send = this.options.fetch ?? ((address: string, request: RequestInit) => fetch(address, request));
    let timer: ReturnType<typeof setTimeout> | undefined;
    const timeout = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        reject(noResponse('timeout'));
        aborter?.abort();
      }, this.options.timeout ?? TIMEOUT_MS);
    });
    const receive = async () => {
      try {
        const response = await send(url, { ...init, signal: aborter?.signal ?? null });
        return { response, text: await response.text() };
      } catch (error) {
        throw noResponse('unreachable', error);
      }
    };
    try {
      return await Promise.race([receive(), timeout]);
    } finally {
      clearTimeout(timer);
    }
  }
}
