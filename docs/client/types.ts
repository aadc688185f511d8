// What the calls take and return comes from the description of the API: `npm run client-types` writes openapi.d.ts.
import type { components, paths } from './openapi';

/** The objects of the description by name, for example Schemas['User']. Names that end in "_" are those of the API. */
export type Schemas = components['schemas'];

/** What openapi.d.ts says about a call. */
type Operation = {
  parameters: { query?: unknown; path?: unknown };
  requestBody?: unknown;
  responses: { 200: { content: { 'application/json': unknown } } };
};

type Method = 'get' | 'post';

/** The paths with a call of this method. */
export type PathOf<M extends Method> = { [P in keyof paths]: paths[P][M] extends Operation ? P : never }[keyof paths];

type OperationOf<M extends Method, P extends PathOf<M>> = Extract<paths[P][M], Operation>;

/** A part of the parameters; unknown if the call has none there. */
type Part<T> = [T] extends [undefined] ? unknown : NonNullable<T>;

type Body<T> = T extends { content: { 'application/json': infer B } } ? B : unknown;

/** The parameters of a call: those of its path, query and body together. */
export type ParamsOf<M extends Method, P extends PathOf<M>> = Part<OperationOf<M, P>['parameters']['path']> &
  Part<OperationOf<M, P>['parameters']['query']> &
  Body<OperationOf<M, P>['requestBody']>;

/** The arguments of a call after its path. The parameters may be left out if none is required. */
export type Rest<M extends Method, P extends PathOf<M>, More extends unknown[] = []> =
  Record<never, never> extends ParamsOf<M, P>
    ? [params?: ParamsOf<M, P>, ...more: More]
    : [params: ParamsOf<M, P>, ...more: More];

/** What a call returns: `data` of its answer. */
export type DataOf<M extends Method, P extends PathOf<M>> = Extract<
  OperationOf<M, P>['responses'][200]['content']['application/json'],
  { status: 1; data: unknown }
>['data'];

/** The settings of a client. */
export type Options = {
  /** Scheme and host of the API, `https://api.example.com`. */
  address: string;
  /** The secret of the request signature, from the operator (`PORTICO_SIGN_SECRET`). It grants nothing by itself. */
  secret: string;
  /** The kind of client. A token works only with the kind of client that got it. */
  tokenType: Schemas['ClientKind'];
  /** Where the client runs. */
  appSource: Schemas['ClientSource'];
  /** The language of messages; the company's language by default. */
  language?: 'zh' | 'es' | 'en';
  /** The company whose site the person is on. */
  companyId?: number;
  /** Asks for the lighting edition. */
  edition?: Schemas['EditionName'];
  /** How long a call may take, in ms. The default is 15000. */
  timeout?: number;
  /** Replaces the fetch of the script engine. */
  fetch?: (url: string, init: RequestInit) => Promise<Response>;
  /** The device's clock in Unix ms. The default is Date.now. */
  now?: () => number;
};

/** The envelope of every answer: `status` 1 and `code` "ok" on success, else a row of the error catalogue. */
export type Envelope<T = unknown> = { status: number; code: string; message: string; data: T; request_id: string };

/** The data that a refusal may have besides its message. */
export type Detail = Schemas['RefusalDetail'] & Partial<Schemas['ServerTime']>;

/** The fields of Refused. */
export type Refusal = {
  /** The number of the refusal in the error catalogue; 0 if the error was made by the client. */
  status: number;
  /**
   * The name of the refusal in the error catalogue. Errors made by the client are "unreadable" (the response had no
   * envelope), "timeout" and "unreachable" (no response).
   */
  code: string;
  /** A message for the person, in the requested language; "" if the error was made by the client. */
  message: string;
  data: Detail | null;
  /** The HTTP status; 0 without a response. */
  http: number;
  /** The id of the request, for problem reports; "" if there is none. */
  requestId: string;
  /** With HTTP 429 and 503: seconds to wait before the next attempt; null if the server did not say. */
  retryAfter: number | null;
  /** With "unreachable": what fetch threw. */
  cause?: unknown;
};

/** Parameters by name; null and undefined are left out. */
export type Params = Record<string, string | number | null | undefined>;

/** Options of a POST call. */
export type PostOptions = {
  /** For calls that create something: repeating the key with the same content returns the same answer for 24 hours. */
  idempotencyKey?: string;
};
