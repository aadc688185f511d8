/** How WeChat shows a link: the texts, and the absolute addresses of the link and of its picture. */
interface Card {
  title: string;
  desc: string;
  link: string;
  imgUrl: string;
}

/** What signs a page for WeChat's JS-SDK. `timestamp` is in seconds. */
interface Signature {
  appId: string;
  timestamp: number;
  nonceStr: string;
  signature: string;
}

/**
 * In WeChat, makes a link that the person passes on by WeChat's own menu a card with a title, a sentence and a picture,
 * and then shows `hint`, which says where that menu is. Elsewhere, or when WeChat refuses, the hint stays hidden: links
 * can still be copied.
 */
export default async function watchCard(hint: HTMLElement): Promise<void> {
  const agent = navigator.userAgent.toLowerCase();
  if (!agent.includes('micromessenger/') || agent.includes('wxwork/') || agent.includes('miniprogram')) {
    return;
  }
  const { signature: signer = '', title = '', about = '', link = '', picture = '' } = hint.dataset;
  const page = location.href.split('#')[0] as string;
  const answer = await fetch(`${signer}?page=${encodeURIComponent(page)}`);
  if (!answer.ok) {
    return;
  }
  const card = { title, desc: about, link, imgUrl: String(new URL(picture, link)) };
  await setCard((await answer.json()) as Signature, card);
  hint.hidden = false;
}

/** Tells WeChat how to show the link, in messages and in Moments. It never settles when WeChat refuses. */
async function setCard(signature: Signature, card: Card): Promise<void> {
  const { default: wx } = await import('weixin-js-sdk');
  wx.config({ ...signature, debug: false, jsApiList: ['updateAppMessageShareData', 'updateTimelineShareData'] });
  return new Promise((done) => {
    wx.ready(() => {
      wx.updateTimelineShareData({ ...card, success: () => undefined });
      wx.updateAppMessageShareData({ ...card, success: () => done() });
    });
  });
}
