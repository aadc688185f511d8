// Writes commonpasswords.txt.gz: `npm run passwords`, or `node portal/core/commonpasswords.mjs FILE` to write elsewhere.
//
// The passwords are those of @zxcvbn-ts/language-common (MIT licence), which were counted in breaches, and those that
// people here make by the habits below. All are in lower case and sorted, one a line. What isCommonPassword finds
// without its own line is left out.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { gunzipSync, gzipSync } from 'node:zlib';
import { dictionary } from '@zxcvbn-ts/language-common';

const all = (text) => text.trim().split(/\s+/);
const pairs = (first, second) => first.flatMap((a) => second.map((b) => a + b));
const years = (from, to) => Array.from({ length: to - from + 1 }, (_, i) => `${from + i}`);

// Digits with a meaning: 520 sounds like "I love you", 1314 like "for ever", 168 like "all the way to wealth".
const lucky = all('520 521 1314 168 888 666 999 886 147 258 369 123 456 789 321 111 000 110 119 518 5201314');
const counting = all('123 1234 12345 123456 1234567 12345678 123456789 321 654321 123123 123321 112233 111 000 147258369');
const meaning = all('520 521 1314 5201314 1314520 888 8888 666 6666 999 168 168168 88888888 666666 888888 886 518 110 119');

const digits = all(`
  147258369 147852369 147896325 14789632 159357 159753 741852963 963852741 789456123 456789123 987654321 123654 123654789
  147369 258369 258456 369258147 7758521 7758258 5845201314 59420 3344520 1314521 5211314 9876543210 0123456789 135246
  135790 135792468 246810 2468101214 100200 102030 112233 11223344 1122334455 223344 332211 445566 778899 556677 998877
  101010 201314 20131420 5203344 5201314520 520184 1314159 13145200 100861 10086 95588 110120119 123456qq
`);

// The start or the end of a password, with digits at the other side: a123456, 123456abc, woaini1314.
const stems = all(`
  a aa aaa b c d f g h j k l m n p q qq qqq r s t w ww www x xx y z zz zzz as asd asdf qw qwe qwer qwert qwerty zx zxc zxcv
  zxcvbn qaz wsx qazwsx ab abc abcd abcde ai aini woaini woaiwo woaimm woaini520 wo ni love iloveyou loveyou ok hao
`);
const words = all(`
  admin root test guest user demo pass passwd password pwd mima login hello welcome master system super manager server
  taobao weixin wechat alipay zhifubao jingdong tengxun tencent baidu alibaba tmall douyin kuaishou meituan pinduoduo
  huawei xiaomi oppo vivo iphone apple china zhongguo beijing shanghai guangzhou shenzhen chengdu hangzhou wuhan nanjing
  chongqing tianjin xian suzhou laopo laogong baobao baobei qinai xiaoxin xiaoyu xingfu kuaile facai gongxi wangzhe
  longlong feifei lele mimi tiantian shangcheng dinghuo caigou huiyuan kehu yonghu guanli gongsi dianpu
  hola amor teamo miamor contrasena clave secreto espana mexico familia amigo princesa
`);
const surnames = all(`
  wang li zhang liu chen yang huang zhao wu zhou xu sun ma zhu hu guo he gao lin luo zheng liang xie song tang han feng deng
  cao peng zeng xiao tian dong pan yuan cai jiang yu du ye cheng wei su lv ding ren shen yao lu cui zhong tan wan fan jin
  shi liao jia xia fu fang zou xiong bai meng qin qiu hou yin xue yan lei long tao mao hao gong shao qian dai mo kong
`);
const givenNames = all('wei fang na min jing li qiang lei jun yang yong yan jie juan tao ming chao xiu ping gang hong bo hao yu xin');
const names = all(`
  zhangsan lisi wangwu xiaoming xiaohong xiaoli xiaowang xiaozhang xiaochen xiaolong xiaofeng xiaowei xiaojun xiaohu
  zhangwei wangwei wangfang liwei lina zhangmin lijing wangjing liuwei wangxiuying zhangli lixiuying wangli zhangjing
  zhangxiuying liqiang wangmin limin wanglei liuyang wangyan wangyong lijun zhangyong lijie zhangjie zhanglei wangqiang
  lijuan wangjun zhangyan zhangtao wangtao liyan wangchao liming liyong wangjuan liujie liumin lixia lili zhangqiang
`);

const habits = [
  ...digits,
  ...counting,
  ...meaning,
  ...pairs(lucky, lucky),
  ...pairs(lucky, pairs(lucky, lucky)).filter((p) => p.length <= 9),
  ...pairs([...stems, ...words, ...names, ...surnames], [...counting, ...meaning]),
  ...pairs([...counting, ...meaning], stems),
  ...pairs(surnames, years(1970, 2012)),
  ...pairs(names, years(1980, 2005)),
  ...pairs(all('admin root test user guest password qq abc a'), years(2008, 2030)),
  ...pairs(pairs(all('admin root test user abc a qq pass password'), all('@ . _')), [...counting, ...years(2015, 2030)]),
  ...pairs(surnames, givenNames),
  ...pairs(pairs(surnames, givenNames), all('123 1234 520 1314 888 666')),
];

const printable = /^[!-~]{6,20}$/;
const common = new Set(
  [...dictionary['passwords-common'], ...habits].map((p) => p.toLowerCase()).filter((p) => printable.test(p)),
);
const foundByItsWord = (p) => common.has(p.match(/^([a-z]{6,})[^a-z]{1,3}$/)?.[1]);
const list = [...common].filter((p) => !foundByItsWord(p)).sort();
if (list.length < 30000) refuse(`only ${list.length} passwords`);

const text = list.map((p) => `${p}\n`).join('');

// Builds of Node compress differently: the same list keeps the file it has.
const file = process.argv[2] ?? new URL('commonpasswords.txt.gz', import.meta.url);
if (!existsSync(file) || gunzipSync(readFileSync(file)).toString() !== text) {
  writeFileSync(file, gzipSync(text, { level: 9 }));
}

function refuse(reason) {
  console.error(`commonpasswords: ${reason}`);
  process.exit(1);
}
