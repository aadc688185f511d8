import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import watchCard from './wechat-card';

type Answer = (result: { err_msg: string }) => void;
const signature = { appId: 'wx0000000000000001', timestamp: 1, nonceStr: 'n', signature: 's' };

/** WeChat's side of the bridge: what was asked of it, and whether it accepts the signature. */
const asked: [string, Record<string, unknown>][] = [];
let accepts = true;

const markup = `<p hidden data-signature="/mgr/wechat.json" data-title="Join" data-about="Apply here"
  data-link="https://store1001.example.com/register/more" data-picture="/share/a.png"></p>`;

const open = async (agent: string, status = 200) => {
  document.body.innerHTML = markup;
  vi.stubGlobal('navigator', { userAgent: agent, platform: 'iPhone' });
  const ask = vi.fn().mockResolvedValue({ ok: status === 200, json: async () => signature });
  vi.stubGlobal('fetch', ask);
  const hint = document.querySelector('p') as HTMLElement;
  const watching = watchCard(hint);
  await Promise.race([watching, new Promise((go) => setTimeout(go, 300))]);
  return { hint, ask };
};

beforeEach(() => {
  asked.length = 0;
  accepts = true;
  vi.resetModules();
  delete (window as { jWeixin?: unknown }).jWeixin;
  vi.stubGlobal('WeixinJSBridge', {
    on: () => undefined,
    invoke: (name: string, what: Record<string, unknown>, answer: Answer) => {
      asked.push([name, what]);
      answer({ err_msg: `${name}:${accepts ? 'ok' : 'fail'}` });
    },
  });
});
afterEach(() => vi.unstubAllGlobals());

const inWeChat = 'Mozilla/5.0 (iPhone) AppleWebKit/605.1.15 MicroMessenger/8.0.50';

test('in WeChat the link becomes a card, and the hint says how to send it', async () => {
  const { hint, ask } = await open(inWeChat);
  expect(ask).toHaveBeenCalledWith(
    `/mgr/wechat.json?page=${encodeURIComponent(location.href.split('#')[0] as string)}`,
  );
  expect(asked.map(([name]) => name)).toContain('updateAppMessageShareData');
  const [, verified] = asked.find(([name]) => name === 'preVerifyJSAPI') ?? [];
  expect(verified).toMatchObject({ verifyAppId: signature.appId, verifySignature: 's', verifyNonceStr: 'n' });
  const [, card] = asked.find(([name]) => name === 'updateAppMessageShareData') ?? [];
  expect(card).toMatchObject({
    title: 'Join',
    desc: 'Apply here',
    link: 'https://store1001.example.com/register/more',
    imgUrl: 'https://store1001.example.com/share/a.png',
  });
  expect(hint.hidden).toBe(false);
});

test('elsewhere nothing is asked and the hint stays hidden', async () => {
  for (const agent of ['Mozilla/5.0 (iPhone)', `${inWeChat} wxwork/4.1`, `${inWeChat} miniProgram/wx1`]) {
    const { hint, ask } = await open(agent);
    expect(ask).not.toHaveBeenCalled();
    expect(hint.hidden).toBe(true);
  }
});

test('without a signature, or when WeChat refuses it, the hint stays hidden', async () => {
  expect((await open(inWeChat, 404)).hint.hidden).toBe(true);
  accepts = false;
  expect((await open(inWeChat)).hint.hidden).toBe(true);
});
