/**
 * The agreed times, distances and limits that take effect in a browser. The server's are in
 * portal/access/constants.go. A test checks that both agree, and docs/constants.md says where each can be seen.
 */

/** How long a simple notice is shown, in milliseconds. */
export const TOAST_MS = 1_500;

/** How long the result of a request is shown, in milliseconds. */
export const TOAST_SHORT_MS = 3_000;

/** How long a long result of a request is shown, in milliseconds. */
export const TOAST_LONG_MS = 8_000;

/** How far a page must be pulled down before it refreshes, in pixels. */
export const PULL_DISTANCE = 25;

/** Beyond this distance a page follows the finger no further, in pixels. */
export const PULL_DAMPING = 100;

/** The part of the finger's movement that the page follows, from 0 to 1. */
export const PULL_SCALE = 0.6;

/** How long a pulled page says that it is up to date, in milliseconds. */
export const PULL_REFRESH_MS = 1_000;

/** The four states of pull-to-refresh, in their order. */
export const PULL_STATES = ['deactivate', 'activate', 'release', 'finish'] as const;

/** How long an island's script may take to arrive, in milliseconds. */
export const CHUNK_TIMEOUT_MS = 120_000;

/** How long an entry of a sub-menu stays chosen before it is reported, in milliseconds. */
export const SUBMENU_REPORT_MS = 300;

/** The event on the document that reports a choice in a sub-menu. Its detail is a SubmenuChoice. */
export const SUBMENU_EVENT = 'portico:submenu';

/** The server shows phone pages in windows narrower than this, in CSS pixels. */
export const MOBILE_WIDTH = 750;

/** The number of digits in a phone number: `^1[3-9]\d{9}$` without spaces. */
export const PHONE_DIGITS = 11;

/** The number of digits in each group of a bank card number. */
export const CARD_GROUP = 4;

/**
 * The local-storage keys that native wrappers read. The pages write no other key, and never a token or a code.
 * page/local-storage.ts writes the values that the page contains, and shareUserId and shareClientId from the page's
 * address. application/region-mirror.ts writes regionTreeList from the regions that were loaded. WechatproCode only
 * says that the code of a WeCom authorisation was exchanged: no script can read the code itself.
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
