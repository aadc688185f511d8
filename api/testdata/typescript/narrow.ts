// What openapi-typescript makes of openapi.json, used as a client uses it. docs/client/openapi.test.ts compiles it: the
// lines marked "expect-error" must be errors, and all others must not.
import type { components, operations } from './api';

type Answer = operations['mixedLogin']['responses']['200']['content']['application/json'];

declare const answer: Answer;

export function byStatus(): string {
  if (answer.status === 1) {
    // @ts-expect-error a sign-in has no tries left
    answer.data.left_;
    return answer.data.ticket_;
  }
  // @ts-expect-error a refusal has no ticket
  answer.data?.ticket_;
  return `${answer.status} ${answer.data?.left_ ?? ''} ${answer.message}`;
}

export function byCode(): string {
  switch (answer.code) {
    case 'ok':
      return answer.data.ticket_;
    case 'wrong_password':
      return String(answer.data?.left_);
    default:
      return answer.message;
  }
}

export const refusal: components['schemas']['BusinessRefusal'] = {
  status: 1002,
  code: 'wrong_password',
  message: '',
  data: { left_: 9 },
  request_id: '7f3a',
};

export type LoginAs = operations['loginAs']['responses']['200']['content']['application/json'];
export const signedIn = (a: LoginAs): string | null => (a.status === 1 ? a.data.token_ : null);
