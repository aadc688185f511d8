/**
 * The constants of specification section 9 that act in a browser, with the names and values they have there. Those of the
 * server are in portal/constants.go, where a test holds the two together; docs/constants.md says where one sees each.
 */

/** How long a simple notice is shown, in milliseconds. Section 9: 1.5 s. */
export const TOAST_MS = 1_500;

/** How long what came of a request is shown, in milliseconds. Section 9: short 3 s, long 8 s. */
export const TOAST_SHORT_MS = 3_000;
export const TOAST_LONG_MS = 8_000;

/** How far a page must be pulled down before it is looked at afresh, in pixels. Section 9: distance 25. */
export const PULL_DISTANCE = 25;

/** How far it can be pulled at all, in pixels. Section 9: damping 100. */
export const PULL_DAMPING = 100;

/** How much of the finger's way the page follows, a factor. Section 9: scale 0.6. */
export const PULL_SCALE = 0.6;

/** How long a pulled page says that it is up to date, in milliseconds. Section 9: refresh timeout 1 s. */
export const PULL_REFRESH_MS = 1_000;

/** The four states of pulling down (sections 4 and 9), in their order. */
export const PULL_STATES = ['deactivate', 'activate', 'release', 'finish'] as const;

/** How long an island's script may take to arrive, in milliseconds. Section 9: 120 s. */
export const CHUNK_TIMEOUT_MS = 120_000;

/** How long a choice in a sub-menu stands before it is reported, in milliseconds. Section 9: 300 ms. */
export const SUBMENU_REPORT_MS = 300;

/** The event, at the document, that says what was chosen in a sub-menu; its detail is a SubmenuChoice. */
export const SUBMENU_EVENT = 'portico:submenu';

/** Windows narrower than this are phones, in CSS pixels. Sections 2 and 9: 750 px. */
export const MOBILE_WIDTH = 750;

/** Digits in a phone number (section 5: `^1[3-9]\d{9}$` without its spaces). */
export const PHONE_DIGITS = 11;

/** Digits of a bank card's number stand in groups of so many. Section 5: fours. */
export const CARD_GROUP = 4;

/**
 * The local-storage keys that native wrappers read. Section 9 names these eleven; nothing else is ever written, and never a
 * token or a code. mirror.ts writes them from what the page carries, shareUserId and shareClientId from its address;
 * regiontree.ts writes regionTreeList from the regions that were asked for. WechatproCode says only that the code of a
 * work-chat authorisation was exchanged: no script can read the code itself.
 */
export const KEYS = [
  'companyData',
  'mShop_user',
  'mMgr_user',
  'pcShop_user',
  'pcMgr_user',
  'lang',
  'accountList',
  'shareUserId',
  'shareClientId',
  'regionTreeList',
  'WechatproCode',
];
