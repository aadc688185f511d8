// @vitest-environment node
import { createHash, createHmac, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { canonical, hex, hmacSHA256, type Parameter, percentEncode, sha256, sign, utf8 } from './sign';

type Vector = {
  name: string;
  token: string;
  timestamp: string;
  nonce: string;
  parameters: Parameter[];
  json_body: string | null;
  params: string;
  sign: string;
};

const { secret, vectors }: { secret: string; vectors: Vector[] } = JSON.parse(
  readFileSync(new URL('../../api/testdata/sign-vectors.json', import.meta.url), 'utf8'),
);

describe('the signature of the vector', () => {
  test.each(vectors)('$name', ({ token, timestamp, nonce, parameters, json_body, params, sign: signature }) => {
    const signed = canonical(parameters, json_body ?? undefined);
    expect(signed).toBe(params);
    expect(sign(secret, { token, timestamp, nonce, params: signed })).toBe(signature);
  });

  test('list is complete', () => {
    expect(vectors.length).toBeGreaterThanOrEqual(7);
  });
});

describe('parameters are sorted as bytes', () => {
  test.each([
    ['an empty value first', 'a=0 a=', 'a=&a=0'],
    ['a name before a longer one', 'ab= a=z a-=', 'a=z&a-=&ab='],
    ['by the bytes before they are encoded', 'é= z=', 'z=&%C3%A9='],
    ['by UTF-8, not UTF-16', '💡= ｡=', '%EF%BD%A1=&%F0%9F%92%A1='],
  ])('%s', (_, given, params) => {
    expect(canonical(given.split(' ').map((pair) => pair.split('=') as unknown as Parameter))).toBe(params);
  });

  test('without changing the list of the caller', () => {
    const parameters: Parameter[] = [
      ['b', ''],
      ['a', ''],
    ];
    canonical(parameters, '{}');
    expect(parameters.map(([name]) => name)).toEqual(['b', 'a']);
  });
});

const million = 'a'.repeat(1e6);

// https://csrc.nist.gov/projects/cryptographic-standards-and-guidelines/example-values
describe('SHA-256 as published for FIPS 180-4', () => {
  test.each([
    ['', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
    ['abc', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
    [
      'abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq',
      '248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1',
    ],
    [
      'abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmno' +
        'ijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu',
      'cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1',
    ],
    [million, 'cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0'],
  ])('%.60s', (message, digest) => {
    expect(hex(sha256(utf8(message)))).toBe(digest);
  });
});

const bytes = (pattern: string, times = 1): Buffer => Buffer.from(pattern.repeat(times), 'hex');
const short = Buffer.from('Test Using Larger Than Block-Size Key - Hash Key First');
const long = Buffer.from(
  'This is a test using a larger than block-size key and a larger than block-size data. ' +
    'The key needs to be hashed before being used by the HMAC algorithm.',
);

// The test cases of RFC 4231, https://www.rfc-editor.org/rfc/rfc4231#section-4. Case 5 is cut to 128 bits.
describe('HMAC-SHA256 of RFC 4231', () => {
  test.each([
    [1, bytes('0b', 20), Buffer.from('Hi There'), 'b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7'],
    [
      2,
      Buffer.from('Jefe'),
      Buffer.from('what do ya want for nothing?'),
      '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
    ],
    [3, bytes('aa', 20), bytes('dd', 50), '773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe'],
    [
      4,
      bytes('0102030405060708090a0b0c0d0e0f10111213141516171819'),
      bytes('cd', 50),
      '82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b',
    ],
    [5, bytes('0c', 20), Buffer.from('Test With Truncation'), 'a3b6167473100ee06e0c796c2955552b'],
    [6, bytes('aa', 131), short, '60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54'],
    [7, bytes('aa', 131), long, '9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2'],
  ])('case %d', (_, key, message, code) => {
    expect(hex(hmacSHA256(key, message)).slice(0, code.length)).toBe(code);
  });
});

const aroundBlocks = [0, 1, 31, 32, 33, 54, 55, 56, 57, 63, 64, 65, 118, 119, 120, 127, 128, 129, 1000];

test.each(aroundBlocks)('%d random bytes have the same digest as from node:crypto', (length) => {
  for (let n = 0; n < 20; n++) {
    const message = randomBytes(length);
    expect(hex(sha256(message))).toBe(createHash('sha256').update(message).digest('hex'));
    const key = randomBytes(aroundBlocks[n % aroundBlocks.length] as number);
    expect(hex(hmacSHA256(key, message))).toBe(createHmac('sha256', key).update(message).digest('hex'));
  }
});

test('a digest does not depend on the position of the message in a buffer', () => {
  const buffer = Buffer.from('xxabcxx');
  expect(hex(sha256(buffer.subarray(2, 5)))).toBe(hex(sha256(utf8('abc'))));
});

describe('percent-encoding', () => {
  const unreserved = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~';

  test('leaves the unreserved characters of ASCII and encodes all others', () => {
    for (let code = 0; code < 128; code++) {
      const character = String.fromCharCode(code);
      const encoded = `%${code.toString(16).toUpperCase().padStart(2, '0')}`;
      expect(percentEncode(character)).toBe(unreserved.includes(character) ? character : encoded);
    }
  });

  test.each([
    ['\u0080\u07ff', '%C2%80%DF%BF'],
    ['\u0800\ud7ff\ue000\uffff', '%E0%A0%80%ED%9F%BF%EE%80%80%EF%BF%BF'],
    ['\u{10000}\u{10ffff}', '%F0%90%80%80%F4%8F%BF%BF'],
    ['灯💡', '%E7%81%AF%F0%9F%92%A1'],
  ])('of %j encodes its UTF-8 bytes', (text, encoded) => {
    expect(percentEncode(text)).toBe(encoded);
    expect(decodeURIComponent(encoded)).toBe(text);
  });

  test('encodes half a surrogate pair as U+FFFD', () => {
    expect(percentEncode('\ud83da')).toBe('%EF%BF%BDa');
    expect(percentEncode('\udca1\ud83d')).toBe('%EF%BF%BD%EF%BF%BD');
  });

  test('is the same as encodeURIComponent except for five characters, in every plane', () => {
    for (let point = 0; point <= 0x10ffff; point += 61) {
      if (point < 0xd800 || point > 0xdfff) {
        const character = String.fromCodePoint(point);
        if (!"!'()*".includes(character)) {
          expect(percentEncode(character)).toBe(encodeURIComponent(character));
        }
      }
    }
  });
});

test('utf8 returns the same bytes as TextEncoder', () => {
  for (const text of ['', 'abc', '金穗 粮油', 'ñandú', '💡', '\ud83d', 'a\udca1b']) {
    expect([...utf8(text)]).toEqual([...new TextEncoder().encode(text)]);
  }
});
