package stylesheet_test

import (
	"regexp"
	"strings"
	"testing"

	"portico/portal/stylesheet"
)

// HostileStyles are sheets that load, read, hide, cover or move something, or try to be read differently by a browser
// than here.
var HostileStyles = []struct {
	source string
	why    stylesheet.StyleWhy
}{
	{`@import "https://evil.test/a.css";`, stylesheet.StyleAtRule},
	{`@import url(//evil.test/a.css);`, stylesheet.StyleAtRule},
	{`@\69mport "https://evil.test/a.css";`, stylesheet.StyleAtRule},
	{`@\000069 mport "https://evil.test/a.css";`, stylesheet.StyleAtRule},
	{`@IMPORT "a.css";`, stylesheet.StyleAtRule},
	{`@im/**/port "a.css";`, stylesheet.StyleAtRule},
	{`@charset "utf-7"; .button{color:red}`, stylesheet.StyleAtRule},
	{`@namespace url(http://www.w3.org/1999/xhtml);`, stylesheet.StyleAtRule},
	{`@font-face{font-family:x;src:url(https://evil.test/x.woff)}`, stylesheet.StyleAtRule},
	{`@keyframes x{from{opacity:0}to{opacity:0}}`, stylesheet.StyleAtRule},
	{`@supports (color:red){.button{color:red}}`, stylesheet.StyleAtRule},
	{`@layer x{.button{color:red}}`, stylesheet.StyleAtRule},
	{`@property --x{syntax:"<color>";inherits:true;initial-value:red}`, stylesheet.StyleAtRule},
	{`@container (min-width:1px){.button{color:red}}`, stylesheet.StyleAtRule},
	{`@page{margin:0}`, stylesheet.StyleAtRule},
	{`@scope (body){.button{color:red}}`, stylesheet.StyleAtRule},
	{`@starting-style{.button{color:red}}`, stylesheet.StyleAtRule},
	{`@-moz-document url(http://x){.button{color:red}}`, stylesheet.StyleAtRule},
	{`@view-transition{navigation:none}`, stylesheet.StyleAtRule},
	{`@media screen{@import "a.css";}`, stylesheet.StyleAtRule},
	{`@media screen{@media print{.button{color:red}}}`, stylesheet.StyleAtRule},
	{`@media (device-width:360px){.button{color:red}}`, stylesheet.StyleMedia},
	{`@media (min-width:calc(1px)){.button{color:red}}`, stylesheet.StyleMedia},
	{`@media not all{.button{color:red}}`, stylesheet.StyleMedia},
	{`@media (400px<=width<=700px){.button{color:red}}`, stylesheet.StyleMedia},
	{`@media \75rl(x){.button{color:red}}`, stylesheet.StyleMedia},
	{`@media screen{.button{color:red}`, stylesheet.StyleUnfinished},
	{`@media screen`, stylesheet.StyleUnfinished},

	{`body{background:url(https://evil.test/?x)}`, stylesheet.StyleAddress},
	{`body{background:url("//evil.test/x")}`, stylesheet.StyleAddress},
	{`body{background:URL(x)}`, stylesheet.StyleAddress},
	{`body{background:\75rl(https://evil.test)}`, stylesheet.StyleAddress},
	{`body{background:\75 rl(https://evil.test)}`, stylesheet.StyleAddress},
	{`body{background:u\72l(https://evil.test)}`, stylesheet.StyleAddress},
	{`body{background:\000075\000072\00006c(https://evil.test)}`, stylesheet.StyleAddress},
	{`body{background:\u\r\l(https://evil.test)}`, stylesheet.StyleAddress},
	{`body{background:url(data:image/svg+xml;base64,PHN2Zy8+)}`, stylesheet.StyleAddress},
	{`body{background:image("x.png")}`, stylesheet.StyleAddress},
	{`body{background:image-set("x.png" 1x)}`, stylesheet.StyleAddress},
	{`body{background:-webkit-image-set(url(x) 1x)}`, stylesheet.StyleAddress},
	{`body{background:src("x.png")}`, stylesheet.StyleAddress},
	{`body{background:element(#password)}`, stylesheet.StyleAddress},
	{`body{background:-moz-element(#password)}`, stylesheet.StyleAddress},
	{`body{background:cross-fade(url(a),url(b))}`, stylesheet.StyleAddress},
	{`body{background:paint(x)}`, stylesheet.StyleAddress},
	{`body{background:linear-gradient(red,url(x))}`, stylesheet.StyleAddress},
	{`body{color:attr(value type(<color>))}`, stylesheet.StyleAddress},
	{`body{color:env(x)}`, stylesheet.StyleAddress},
	{`body{color:expression(alert(1))}`, stylesheet.StyleAddress},
	{`body{width:e\78pression(alert(1))}`, stylesheet.StyleAddress},
	{`body{filter:progid:DXImageTransform.Microsoft.AlphaImageLoader(src='x')}`, stylesheet.StyleAddress},
	{`body{--x:url(https://evil.test);background:var(--x)}`, stylesheet.StyleAddress},
	{`body{padding:calc(1px + 1px)}`, stylesheet.StyleAddress},
	{`body{padding:min(1px,2px)}`, stylesheet.StyleAddress},
	{`body{color:color-mix(in srgb,red,blue)}`, stylesheet.StyleAddress},
	{`body{color:if(media(print): red)}`, stylesheet.StyleAddress},
	{`.button{background:u/**/rl(x)}`, stylesheet.StyleAddress},

	{`body{--ink-2:transparent}`, stylesheet.StyleProperty},
	{`body{--x:red}`, stylesheet.StyleProperty},
	{`body{color:var(--x)}`, stylesheet.StyleValue},
	{`body{color:var(--ink,red)}`, stylesheet.StyleValue},
	{`body{behavior:"x.htc"}`, stylesheet.StyleProperty},
	{`body{-moz-binding:"x.xml"}`, stylesheet.StyleProperty},
	{`body{src:"x"}`, stylesheet.StyleProperty},
	{`.lead{content:"Call 1"}`, stylesheet.StyleProperty},
	{`.lead::before{color:red}`, stylesheet.StyleSelector},
	{`.lead:after{color:red}`, stylesheet.StyleSelector},
	{`form{display:none}`, stylesheet.StyleProperty},
	{`form{d\69splay:none}`, stylesheet.StyleProperty},
	{`form{visibility:hidden}`, stylesheet.StyleProperty},
	{`form{opacity:0}`, stylesheet.StyleProperty},
	{`form{position:fixed}`, stylesheet.StyleProperty},
	{`form{transform:scale(0)}`, stylesheet.StyleAddress},
	{`form{translate:-9999px}`, stylesheet.StyleProperty},
	{`form{clip-path:none}`, stylesheet.StyleProperty},
	{`form{overflow:hidden}`, stylesheet.StyleProperty},
	{`form{height:0}`, stylesheet.StyleProperty},
	{`form{max-height:0}`, stylesheet.StyleProperty},
	{`form{font:0/0 a}`, stylesheet.StyleProperty},
	{`form{all:unset}`, stylesheet.StyleProperty},
	{`form{z-index:9}`, stylesheet.StyleProperty},
	{`form{order:9}`, stylesheet.StyleProperty},
	{`form{float:left}`, stylesheet.StyleProperty},
	{`form{text-indent:-9999px}`, stylesheet.StyleProperty},
	{`form{animation:toast 0s}`, stylesheet.StyleProperty},
	{`form{transition:color 9s}`, stylesheet.StyleProperty},
	{`form{pointer-events:none}`, stylesheet.StyleProperty},
	{`form{cursor:none}`, stylesheet.StyleProperty},
	{`form{zoom:.01}`, stylesheet.StyleProperty},
	{`form{direction:rtl}`, stylesheet.StyleProperty},
	{`form{outline:0}`, stylesheet.StyleProperty},
	{`form{-webkit-text-security:none}`, stylesheet.StyleProperty},
	{`form{-webkit-text-fill-color:transparent}`, stylesheet.StyleProperty},
	{`form{mask:none}`, stylesheet.StyleProperty},
	{`form{margin:-999px}`, stylesheet.StyleRange},
	{`form{margin-top:4000px}`, stylesheet.StyleRange},
	{`form{padding:33px}`, stylesheet.StyleRange},
	{`form{padding:100vh}`, stylesheet.StyleValue},
	{`form{padding:1e9px}`, stylesheet.StyleValue},
	{`form{font-size:0}`, stylesheet.StyleRange},
	{`form{font-size:1px}`, stylesheet.StyleRange},
	{`form{padding:2.1em}`, stylesheet.StyleRange},
	{`form{padding:clamp(1px,2px,3px)}`, stylesheet.StyleAddress},
	{`.button:active{margin-top:32px}`, stylesheet.StyleMoving},
	{`.button:ACTIVE{margin-top:32px}`, stylesheet.StyleMoving},
	{`body:active main{padding-bottom:32px}`, stylesheet.StyleMoving},
	{`h1,form:focus-within .field{gap:32px}`, stylesheet.StyleMoving},
	{`.input:focus{border:8px solid red}`, stylesheet.StyleMoving},
	{`.links:hover a:visited{font-size:48px}`, stylesheet.StyleMoving},
	{`@media screen{.button:focus-visible{line-height:2.5}}`, stylesheet.StyleMoving},
	{`form{font-size:.5em}`, stylesheet.StyleValue},
	{`form{line-height:0}`, stylesheet.StyleRange},
	{`form{letter-spacing:-1em}`, stylesheet.StyleRange},
	{`form{box-shadow:0 0 0 9999px #000}`, stylesheet.StyleRange},
	{`form{box-shadow:0 -900px #000}`, stylesheet.StyleRange},
	{`form{border:999px solid}`, stylesheet.StyleRange},
	{`form{color:transparent}`, stylesheet.StyleRange},
	{`form{color:#0000}`, stylesheet.StyleRange},
	{`form{color:rgba(0,0,0,0)}`, stylesheet.StyleRange},
	{`form{color:rgb(0 0 0 / 10%)}`, stylesheet.StyleRange},
	{`form{color:hsla(0,0%,0%,.1)}`, stylesheet.StyleRange},
	{`form{color:red!important}`, stylesheet.StyleImportant},
	{`form{color:red ! important}`, stylesheet.StyleImportant},
	{`form{color:red !\69mportant}`, stylesheet.StyleImportant},
	{`form{font-family:"x\"};body{"}`, stylesheet.StyleValue},
	{`form{font-family:"</style><script>"}`, stylesheet.StyleValue},
	{`form{color:</style>}`, stylesheet.StyleValue},
	{`form{color:r\65 d;background:\}`, stylesheet.StyleUnreadable},

	{`input[value^=a]{color:red}`, stylesheet.StyleSelector},
	{`input[value^="a"]{background:red}`, stylesheet.StyleSelector},
	{`[value]{color:red}`, stylesheet.StyleSelector},
	{`input\5bvalue\5d{color:red}`, stylesheet.StyleUnreadable},
	{`form:has(input[value^=a]){color:red}`, stylesheet.StyleSelector},
	{`form:has(:invalid){color:red}`, stylesheet.StyleSelector},
	{`:is(input){color:red}`, stylesheet.StyleSelector},
	{`:where(.msg){color:red}`, stylesheet.StyleSelector},
	{`:not(.x){color:red}`, stylesheet.StyleSelector},
	{`input:autofill{color:red}`, stylesheet.StyleSelector},
	{`input:valid{color:red}`, stylesheet.StyleSelector},
	{`input:placeholder-shown{color:red}`, stylesheet.StyleSelector},
	{`:root{color:red}`, stylesheet.StyleSelector},
	{`html{font-size:12px}`, stylesheet.StyleSelector},
	{`*{color:red}`, stylesheet.StyleSelector},
	{`form *{color:red}`, stylesheet.StyleSelector},
	{`style{color:red}`, stylesheet.StyleSelector},
	{`script{color:red}`, stylesheet.StyleSelector},
	{`svg|a{color:red}`, stylesheet.StyleSelector},
	{`:host{color:red}`, stylesheet.StyleSelector},
	{`::part(x){color:red}`, stylesheet.StyleSelector},
	{`::view-transition{color:red}`, stylesheet.StyleSelector},
	{`::selection{color:red}`, stylesheet.StyleSelector},
	{`.a::selection .b{color:red}`, stylesheet.StyleSelector},
	{`&{color:red}`, stylesheet.StyleSelector},
	{`.button,{color:red}`, stylesheet.StyleSelector},
	{`,.button{color:red}`, stylesheet.StyleSelector},
	{`> a{color:red}`, stylesheet.StyleSelector},
	{`a >{color:red}`, stylesheet.StyleSelector},
	{`a > > a{color:red}`, stylesheet.StyleSelector},
	{`{color:red}`, stylesheet.StyleSelector},
	{`-->a{color:red}`, stylesheet.StyleSelector},
	{`<!--a{color:red}`, stylesheet.StyleSelector},
	{`ａ{color:red}`, stylesheet.StyleSelector},
	{"\u212abd{color:red}", stylesheet.StyleSelector},
	{`\212a bd{color:red}`, stylesheet.StyleUnreadable},
	{`.msg{color:#fff}`, stylesheet.StyleProtected},
	{`.m\73g{color:#fff}`, stylesheet.StyleProtected},
	{`.MSG{color:#fff}`, stylesheet.StyleProtected},
	{`p.msg{color:#fff}`, stylesheet.StyleProtected},
	{`.note.bad{color:#fff}`, stylesheet.StyleProtected},
	{`.foot a{color:#fff}`, stylesheet.StyleProtected},
	{`.langs{color:#fff}`, stylesheet.StyleProtected},
	{`.skip{color:#fff}`, stylesheet.StyleProtected},
	{`.contact{color:#fff}`, stylesheet.StyleProtected},
	{`.toast{color:#fff}`, stylesheet.StyleProtected},
	{`#phone-msg{color:#fff}`, stylesheet.StyleProtected},

	{`.card{color:red;&:hover{color:blue}}`, stylesheet.StyleNesting},
	{`.card{a:hover{color:red}}`, stylesheet.StyleNesting},
	{`.card{.msg{color:red}}`, stylesheet.StyleNesting},
	{`.card{@media screen{color:red}}`, stylesheet.StyleNesting},
	{`.card{color:{red}}`, stylesheet.StyleNesting},
	{strings.Repeat(`a{`, 4000), stylesheet.StyleNesting},
	{`a{color:` + strings.Repeat(`rgb(`, 4000), stylesheet.StyleValue},
	{
		`a{background:` + strings.Repeat(`linear-gradient(`, 1000) + strings.Repeat(`)`, 1000) + `}`,
		stylesheet.StyleValue,
	},
	{strings.Repeat(`a `, 9) + `{color:red}`, stylesheet.StyleSelector},
	{strings.Repeat(`a,`, 30) + `a{color:red}`, stylesheet.StyleSelector},
	{strings.Repeat(`a{color:red}`, 2000), stylesheet.StyleTooLong},
	{strings.Repeat(`a,a,a,a,a,a,a,a{}`, 1200), stylesheet.StyleTooLong},

	{`a{color:red`, stylesheet.StyleUnfinished},
	{`a{color:red}/*`, stylesheet.StyleUnfinished},
	{`a{font-family:"x`, stylesheet.StyleUnfinished},
	{"a{font-family:\"x\n\"}", stylesheet.StyleUnfinished},
	{`a{font-family:'x"}`, stylesheet.StyleUnfinished},
	{`a`, stylesheet.StyleUnreadable},
	{`a;b{color:red}`, stylesheet.StyleUnreadable},
	{`}a{color:red}`, stylesheet.StyleUnreadable},
	{`a{color red}`, stylesheet.StyleUnreadable},
	{`a{co/**/lor:red}`, stylesheet.StyleUnreadable},
	{`a{color:}`, stylesheet.StyleValue},
	{`a{color:red;;color:rgb(}`, stylesheet.StyleValue},
	{`a{color:red blue}`, stylesheet.StyleValue},
	{`a{color:#12}`, stylesheet.StyleValue},
	{`a{color:#zzzzzz}`, stylesheet.StyleValue},
	{`a{*color:red}`, stylesheet.StyleNesting},
	{`a{color:red\9}`, stylesheet.StyleUnreadable},
	{"a{color:red}\x00", stylesheet.StyleNotText},
	{"a{color:\xffred}", stylesheet.StyleNotText},
	{"a{color:\u202ered}", stylesheet.StyleNotText},
	{"a\u200b{color:red}", stylesheet.StyleNotText},
	{"a{color:\ufffd}", stylesheet.StyleNotText},
	{"+ADw-/style+AD4-", stylesheet.StyleUnreadable},
}

// HonestStyles are sheets as people write them, with what has to be left of each.
var HonestStyles = []struct{ source, want string }{
	{"", ""},
	{"  \n/* nothing yet */\n", ""},
	{"\ufeff.button { border-radius: 4px }", `{border-radius:4px;}`},
	{".button{background:#D9480F;color:#fff}", `{background:#d9480f;color:#fff;}`},
	{
		"body { background: linear-gradient(to bottom, #fff 0%, #eef 100%); }",
		`{background:linear-gradient(to bottom,#fff 0%,#eef 100%);}`,
	},
	{
		".panel { background: radial-gradient(circle at top left, rgba(255,255,255,.2), transparent 60%), #123456 }",
		`{background:radial-gradient(circle at top left,rgb(255 255 255/0.2),transparent 60%),#123456;}`,
	},
	{
		".input:focus-visible { border-color: var(--brand-strong); box-shadow: 0 0 0 3px rgb(0 0 0 / 10%) }",
		`border-color:var(--brand-strong);box-shadow:0 0 0 3px rgb(0 0 0/10%);`,
	},
	{
		"@media (prefers-color-scheme: dark) { body { background: #111; color: #eee } }",
		`@media (prefers-color-scheme:dark){body`,
	},
	{
		"@media screen and (min-width: 900px), (orientation:landscape) { main { padding: 32px } }",
		`@media screen and (min-width:900px),(orientation:landscape){main`,
	},
	{
		`h1, .lead { font-family: Georgia, "Noto Serif CJK SC", "微软雅黑", serif; letter-spacing: .02em }`,
		`font-family:"Georgia","Noto Serif CJK SC","微软雅黑",serif;letter-spacing:0.02em;`,
	},
	{".tabs a[aria-current]{color:red}", "-"},
	{".tabs a:hover { text-decoration: underline }", `.tabs a:hover`},
	{"form > .button:not-a-state{color:red}", "-"},
	{
		"form > .button + .button ~ .links a { margin: 0 auto 8px; padding: 12px 1rem }",
		`{margin:0 auto 8px;padding:12px 1rem;}`,
	},
	{
		".input { border: 2px solid tomato; border-width: 1px 2px; border-style: solid dashed }",
		`border:2px solid tomato;border-width:1px 2px;border-style:solid dashed;`,
	},
	{".input::placeholder { color: slategrey }", `::placeholder{color:slategrey;}`},
	{".button { \\63olor: r\\65 d; }", `{color:red;}`},
	{".button/* between */{/* and */color/**/:/**/red/**/;}", `{color:red;}`},
	{
		"h1{color:hsl(210deg 50% 40%);font-size:2rem;font-weight:700;line-height:1.2;text-transform:uppercase;" +
			"text-align:center}", `color:hsl(210deg 50% 40%);font-size:2rem;font-weight:700;line-height:1.2;`,
	},
	{
		".mark{border-radius:50%;box-shadow:inset 0 1px 2px #0003,0 2px 8px 1px rgba(0,0,0,.1)}",
		`border-radius:50%;box-shadow:inset 0 1px 2px #0003,0 2px 8px 1px rgb(0 0 0/0.1);`,
	},
	{
		".links{gap:8px 16px}.links a{color:currentColor;text-decoration:none;text-underline-offset:4px}",
		`gap:8px 16px;`,
	},
	{
		".panel{padding:1em .5em;letter-spacing:-.03em;box-shadow:0 -1em 4em #000}",
		`{padding:clamp(0px,1em,32px) 0.5em;letter-spacing:clamp(-0.5px,-0.03em,4px);box-shadow:0 clamp(-24px,` +
			`-1em,24px) clamp(0px,4em,64px) #000;}`,
	},
	{
		".button:active,.button:hover{background:#000;border-color:red;border-radius:4px;box-shadow:none}",
		`{background:#000;border-color:red;border-radius:4px;box-shadow:none;}`,
	},
	{"label:first-child,input:checked{padding:4px}", `{padding:4px;}`},
	{".button:hover{color:red}.button{padding:4px}", `{padding:4px;}`},
	{"#sign-in .field label{font-weight:500;accent-color:rebeccapurple}", `#sign-in .field label`},
	{
		"MAIN{BACKGROUND-COLOR:RGBA(255,255,255,0.9);COLOR:BLACK}",
		`{background-color:rgb(255 255 255/0.9);color:black;}`,
	},
	{"a{color:red;}\r\n\r\n@media print\r\n{ a { color : black } }", `@media print{a`},
	{".button{padding:0}\n;", "-"},
}

func TestHostileStyleSheetsAreRefusedWithTheLineAndTheReason(t *testing.T) {
	if len(HostileStyles) < 80 {
		t.Errorf("only %d", len(HostileStyles))
	}
	for _, c := range HostileStyles {
		for _, before := range []string{"", "/* one\ntwo */ .lead { color: red }\n"} {
			css, problems := stylesheet.FilterStyle(before + c.source)
			name := c.source[:min(len(c.source), 60)]
			if css != "" || len(problems) == 0 || len(problems) > 5 {
				t.Errorf("%q gave %q", name, css)
				continue
			}
			if problems[0].Why != c.why {
				t.Errorf("%q: %+v, want %s", name, problems, c.why)
			}
			if line := problems[0].Line; c.why != stylesheet.StyleTooLong && line < 1+strings.Count(before, "\n") {
				t.Errorf("%q is in line %d", name, line)
			}
		}
	}
}

func TestHonestStyleSheetsSurvive(t *testing.T) {
	for _, c := range HonestStyles {
		css, problems := stylesheet.FilterStyle(c.source)
		if c.want == "-" {
			if len(problems) == 0 {
				t.Errorf("%q is taken: %s", c.source, css)
			}
			continue
		}
		if len(problems) > 0 || !strings.Contains(css, c.want) {
			t.Errorf("%q gave %q %+v", c.source, css, problems)
		}
		CheckStyle(t, css)
	}
}

func TestEveryProblemOfASheetIsReportedUpToALimit(t *testing.T) {
	_, problems := stylesheet.FilterStyle(
		"a { color: red }\nform { display: none; opacity: 0 }\n\n.msg { color: #fff }\nb{}i{}u{}q{}",
	)
	want := []stylesheet.StyleProblem{
		{Line: 2, Why: stylesheet.StyleProperty, What: "display"},
		{Line: 2, Why: stylesheet.StyleProperty, What: "opacity"},
		{Line: 4, Why: stylesheet.StyleProtected, What: ".msg"}, {Line: 5, Why: stylesheet.StyleSelector, What: "b"},
		{Line: 5, Why: stylesheet.StyleSelector, What: "i"},
	}
	if len(problems) != len(want) {
		t.Fatalf("%+v", problems)
	}
	for i := range want {
		if problems[i] != want[i] {
			t.Errorf("%+v, want %+v", problems[i], want[i])
		}
	}
}

// TestTheLongestPartsOfASheetAreAccepted has for each limit of a sheet one that just meets it and one that exceeds it.
func TestTheLongestPartsOfASheetAreAccepted(t *testing.T) {
	list := func(n int, part, between string) string { return strings.Repeat(part+between, n-1) + part }
	served := func(bytes int) string { // a sheet that is served with so many bytes
		rule := len("a" + ProtectedParts + "{}")
		last := bytes%rule + rule - len("."+ProtectedParts+"{}")
		return strings.Repeat("a{}", bytes/rule-1) + "." + strings.Repeat("a", last) + "{}"
	}
	for name, c := range map[string]struct {
		good, bad string
		why       stylesheet.StyleWhy
	}{
		"20 KiB": {
			"a{color:red}/*" + strings.Repeat("a", 20_480-16) + "*/",
			"a{color:red}/*" + strings.Repeat("a", 20_481-16) + "*/", stylesheet.StyleTooLong,
		},
		"96 KiB as it is served": {served(98_304), served(98_305), stylesheet.StyleTooLong},
		"a number of 12 characters": {
			"a{padding:1.0000000000px}", "a{padding:1.00000000000px}", stylesheet.StyleUnreadable,
		},
		"20 selectors": {list(20, "a", ",") + "{}", list(21, "a", ",") + "{}", stylesheet.StyleSelector},
		"20 queries": {
			"@media " + list(20, "print", ",") + "{}", "@media " + list(21, "print", ",") + "{}", stylesheet.StyleMedia,
		},
		"20 colours of a gradient": {
			"a{background:linear-gradient(" + list(20, "red", ",") + ")}",
			"a{background:linear-gradient(" + list(21, "red", ",") + ")}", stylesheet.StyleValue,
		},
		"8 parts of a selector":     {list(8, "a", " ") + "{}", list(9, "a", " ") + "{}", stylesheet.StyleSelector},
		"48 pixels of type":         {"a{font-size:48px}", "a{font-size:48.1px}", stylesheet.StyleRange},
		"48 pixels of type, in rem": {"a{font-size:3rem}", "a{font-size:3.1rem}", stylesheet.StyleRange},
	} {
		if css, problems := stylesheet.FilterStyle(c.good); len(problems) > 0 || css == "" {
			t.Errorf("%s: %+v", name, problems)
		}
		if css, problems := stylesheet.FilterStyle(c.bad); len(problems) != 1 || problems[0].Why != c.why || css != "" {
			t.Errorf("more than %s: %d bytes, %+v", name, len(css), problems)
		}
	}
	if css, _ := stylesheet.FilterStyle(served(98_304)); len(css) != 98_304 {
		t.Errorf("%d bytes are served, not 96 KiB", len(css))
	}
}

// An em is as large as the type, which has up to 48 pixels: the padding would be 48 times .6667, more than 32 pixels.
func TestALengthInEmIsLimitedInTheLargestType(t *testing.T) {
	for source, want := range map[string]string{
		"a{padding:.6666em}": "padding:0.6666em;",
		"a{padding:.6667em}": "padding:clamp(0px,0.6667em,32px);",
	} {
		if css, problems := stylesheet.FilterStyle(source); len(problems) > 0 || !strings.Contains(css, want) {
			t.Errorf("%s: %q %+v", source, css, problems)
		}
	}
}

func TestARefusalQuotesFortyCharactersOfASheet(t *testing.T) {
	for typed, shown := range map[string]string{
		strings.Repeat("x", 40): strings.Repeat("x", 40),
		strings.Repeat("x", 41): strings.Repeat("x", 40) + "…",
	} {
		_, problems := stylesheet.FilterStyle("a{" + typed + ":red}")
		if len(problems) != 1 || problems[0].What != shown {
			t.Errorf("%d characters: %+v", len(typed), problems)
		}
	}
}

// ProtectedParts is the end of every selector of a served sheet: it excludes the parts that no company may restyle.
const ProtectedParts = `:not(:where(.msg,.msg *,.bad,.bad *,.foot,.foot *,.skip,.toast,.toast *,.contacts,.contacts ` +
	`*,a[href^="tel:"]))`

// LimitedEm finds a length in em that the filter limits in pixels.
var LimitedEm = regexp.MustCompile(`clamp\([-\d.]+px,([-\d.]+em),[\d.]+px\)`)

// CheckStyle fails the test if a served sheet contains something forbidden, or changes when it is filtered again.
func CheckStyle(t *testing.T, css string) {
	t.Helper()
	plain := LimitedEm.ReplaceAllString(strings.ReplaceAll(css, ProtectedParts, ""), "$1")
	for _, never := range []string{
		"url", "\\", "<", "!", "[", "/*", "expression", "import", "--x", "position", "display", "opacity", "&",
	} {
		if strings.Contains(strings.ToLower(WithoutFamilies(plain)), never) {
			t.Errorf("%q is in %q", never, plain)
		}
	}
	if strings.Count(css, "{") != strings.Count(css, "}") {
		t.Errorf("blocks do not end: %q", css)
	}
	again, problems := stylesheet.FilterStyle(plain)
	if again != css && len(plain) <= 20<<10 {
		t.Errorf("read again, %q is %q %+v", plain, again, problems)
	}
}

// WithoutFamilies removes the quoted font names, which may contain any letters.
func WithoutFamilies(css string) string {
	for {
		begin := strings.Index(css, `"`)
		if begin < 0 {
			return css
		}
		end := strings.Index(css[begin+1:], `"`)
		if end < 0 {
			return css
		}
		css = css[:begin] + css[begin+end+2:]
	}
}

func FuzzStyle(f *testing.F) {
	for _, c := range HostileStyles {
		if len(c.source) < 500 {
			f.Add(c.source)
		}
	}
	for _, c := range HonestStyles {
		f.Add(c.source)
	}
	f.Fuzz(func(t *testing.T, source string) {
		css, problems := stylesheet.FilterStyle(source)
		if (css == "") != (len(problems) > 0) && strings.TrimSpace(css) != "" {
			t.Errorf("both: %q %+v", css, problems)
		}
		CheckStyle(t, css)
	})
}
