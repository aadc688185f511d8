import type { Detail, Envelope, Refusal } from './types';

/** The only error that a call throws: the server refused the call, or no usable response arrived. */
export class Refused extends Error implements Refusal {
  readonly status: number;
  readonly code: string;
  readonly data: Detail | null;
  readonly http: number;
  readonly requestId: string;
  readonly retryAfter: number | null;
  readonly cause?: unknown;

  constructor(refusal: Refusal) {
    super(refusal.message);
    this.name = 'Refused';
    this.status = refusal.status;
    this.code = refusal.code;
    this.data = refusal.data;
    this.http = refusal.http;
    this.requestId = refusal.requestId;
    this.retryAfter = refusal.retryAfter;
    this.cause = refusal.cause;
  }
}

/** The error of a call to which no response arrived. `cause` is what fetch threw. */
export function noResponse(code: 'timeout' | 'unreachable', cause?: unknown): Refused {
  return new Refused({ status: 0, code, message: '', data: null, http: 0, requestId: '', retryAfter: null, cause });
}

/** Returns the data of a response. Throws Refused unless the envelope and the HTTP status both say success. */
export function dataOf<T>(response: Response, text: string): T {
  const envelope = parseEnvelope<T>(text);
  if (envelope && response.ok && envelope.status === 1) {
    return envelope.data;
  }
  const wait = response.headers.get('Retry-After');
  throw new Refused({
    status: envelope?.status ?? 0,
    code: envelope?.code ?? 'unreadable',
    message: envelope?.message ?? '',
    data: (envelope?.data as Detail | undefined) ?? null,
    http: response.status,
    requestId: envelope?.request_id ?? response.headers.get('X-Request-Id') ?? '',
    retryAfter: wait && /^\d+$/.test(wait) ? Number(wait) : null,
  });
}

/** The envelope in `text`; null if it is not an envelope. */
function parseEnvelope<T>(text: string): Envelope<T> | null {
  try {
    const envelope: Envelope<T> = JSON.parse(text);
    return typeof envelope.status === 'number' && typeof envelope.code === 'string' ? envelope : null;
  } catch {
    return null;
  }
}
