// A client of the API for native wrappers and destination sites. It has no dependencies and runs in every script engine
// with fetch. docs/api.md and /openapi.json describe the calls; openapi.d.ts has their types.
import { Refused } from './refused';
import { percentEncode } from './sign';
import { type Call, SignedClient } from './signed-client';
import type { DataOf, Params, ParamsOf, PathOf, PostOptions, Rest } from './types';
import { work } from './work';

export { newIdempotencyKey, REQUEST_LENGTH } from './idempotency-key';
export { Refused } from './refused';
export type * from './types';

const AUTHORIZATION = '/api/v1/company/wechat/noAuth/authorization';

/** The calls that sign in with something else than a token. They are sent without the client's token and ticket. */
const ANONYMOUS: ReadonlySet<string> = new Set<PathOf<'get'> | PathOf<'post'>>([
  AUTHORIZATION,
  '/v1/account/bindOpenIdForLogin',
  '/v1/account/createCompany',
  '/v1/account/experienceRegister',
  '/v1/account/getLoginUserByAuthCode',
  '/v1/account/mixedLogin',
  '/v1/account/openIdLogin',
  '/v1/account/shopCompleteRegister',
]);

/** The calls that enter another account with the token or ticket. */
const ENTERING: ReadonlySet<string> = new Set<PathOf<'post'>>([
  '/api/v1/company/wechat/account/login',
  '/v1/account/getExperienceUser',
]);

/** The answer of a call that signs in: an account, or the ticket to choose one with. */
type SignedIn = { token_?: string | null; ticket_?: string; user_?: { token_: string | null } | null };

/**
 * A client of the API. A call returns the `data` of its answer. It throws Refused if the server refuses it or no usable
 * response arrives. The client keeps the token of a call that signs in, and later calls send it; store `token` where
 * the device keeps secrets. If the server requires a proof of work before it sends a code, the client does it, which
 * takes up to a few seconds.
 */
export class Portico extends SignedClient {
  /** A GET call, for example `get('/v1/account/getAccountList')`. */
  get<P extends PathOf<'get'>>(path: P, ...[params]: Rest<'get', P>): Promise<DataOf<'get', P>> {
    return this.call({ method: 'GET', ...filled(path, params) });
  }

  /** A POST call with a form. */
  post<P extends PathOf<'post'>>(
    path: P,
    ...[params, options]: Rest<'post', P, [options?: PostOptions]>
  ): Promise<DataOf<'post', P>> {
    return this.call({ method: 'POST', ...filled(path, params), ...options });
  }

  /** A POST call with a JSON body. */
  postJSON<P extends PathOf<'post'>>(
    path: P,
    body: ParamsOf<'post', P>,
    options?: PostOptions,
  ): Promise<DataOf<'post', P>> {
    return this.call({ method: 'POST', path, json: JSON.stringify(body), ...options });
  }

  /** Any call, for those that openapi.d.ts does not know. */
  override async call<T>(call: Call): Promise<T> {
    const anonymous = ANONYMOUS.has(call.path);
    const data = await this.callWithProof<T>({ ...call, anonymous });
    if (anonymous || ENTERING.has(call.path)) {
      this.keepToken(call.path, data as SignedIn);
    }
    return data;
  }

  /** Makes a call. If the server requires a proof of work before it sends a code, does the work and calls again. */
  private async callWithProof<T>(call: Call): Promise<T> {
    try {
      return await super.call<T>(call);
    } catch (error) {
      const proof = call.method === 'GET' && error instanceof Refused ? error.data?.proof_ : undefined;
      if (!proof) {
        throw error;
      }
      return super.call<T>({ ...call, params: { ...call.params, proof_: proof.token_, work_: await work(proof) } });
    }
  }

  /** Keeps the token, or the ticket if the person has to choose an account. */
  private keepToken(path: string, data: SignedIn): void {
    const token = data.user_?.token_ ?? data.token_ ?? '';
    if (token || path !== AUTHORIZATION) {
      // The ticket of AUTHORIZATION is a parameter of openIdLogin, not a token.
      this.token = token;
      this.ticket = token ? '' : (data.ticket_ ?? '');
    }
  }
}

/** Puts the parameters of the path, like {id}, in their places. The others stay. */
function filled(path: string, params: unknown): { path: string; params: Params } {
  const rest = { ...(params as Params | undefined) };
  const put = (_: string, name: string) => {
    const value = percentEncode(String(rest[name]));
    delete rest[name];
    return value;
  };
  return { path: path.replace(/\{(\w+)\}/g, put), params: rest };
}
