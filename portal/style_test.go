package portal_test

import (
	"regexp"
	"strings"
	"testing"

	"portico/portal"
)

// hostileStyles are sheets that load, read, hide, cover or move something, or try to be read differently by a browser than here.
var hostileStyles = []struct {
	source string
	why    portal.StyleWhy
}{
	{`@import "https://evil.test/a.css";`, portal.StyleAtRule},
	{`@import url(//evil.test/a.css);`, portal.StyleAtRule},
	{`@\69mport "https://evil.test/a.css";`, portal.StyleAtRule},
	{`@\000069 mport "https://evil.test/a.css";`, portal.StyleAtRule},
	{`@IMPORT "a.css";`, portal.StyleAtRule},
	{`@im/**/port "a.css";`, portal.StyleAtRule},
	{`@charset "utf-7"; .button{color:red}`, portal.StyleAtRule},
	{`@namespace url(http://www.w3.org/1999/xhtml);`, portal.StyleAtRule},
	{`@font-face{font-family:x;src:url(https://evil.test/x.woff)}`, portal.StyleAtRule},
	{`@keyframes x{from{opacity:0}to{opacity:0}}`, portal.StyleAtRule},
	{`@supports (color:red){.button{color:red}}`, portal.StyleAtRule},
	{`@layer x{.button{color:red}}`, portal.StyleAtRule},
	{`@property --x{syntax:"<color>";inherits:true;initial-value:red}`, portal.StyleAtRule},
	{`@container (min-width:1px){.button{color:red}}`, portal.StyleAtRule},
	{`@page{margin:0}`, portal.StyleAtRule},
	{`@scope (body){.button{color:red}}`, portal.StyleAtRule},
	{`@starting-style{.button{color:red}}`, portal.StyleAtRule},
	{`@-moz-document url(http://x){.button{color:red}}`, portal.StyleAtRule},
	{`@view-transition{navigation:none}`, portal.StyleAtRule},
	{`@media screen{@import "a.css";}`, portal.StyleAtRule},
	{`@media screen{@media print{.button{color:red}}}`, portal.StyleAtRule},
	{`@media (device-width:360px){.button{color:red}}`, portal.StyleMedia},
	{`@media (min-width:calc(1px)){.button{color:red}}`, portal.StyleMedia},
	{`@media not all{.button{color:red}}`, portal.StyleMedia},
	{`@media (400px<=width<=700px){.button{color:red}}`, portal.StyleMedia},
	{`@media \75rl(x){.button{color:red}}`, portal.StyleMedia},
	{`@media screen{.button{color:red}`, portal.StyleUnfinished},
	{`@media screen`, portal.StyleUnfinished},

	{`body{background:url(https://evil.test/?x)}`, portal.StyleAddress},
	{`body{background:url("//evil.test/x")}`, portal.StyleAddress},
	{`body{background:URL(x)}`, portal.StyleAddress},
	{`body{background:\75rl(https://evil.test)}`, portal.StyleAddress},
	{`body{background:\75 rl(https://evil.test)}`, portal.StyleAddress},
	{`body{background:u\72l(https://evil.test)}`, portal.StyleAddress},
	{`body{background:\000075\000072\00006c(https://evil.test)}`, portal.StyleAddress},
	{`body{background:\u\r\l(https://evil.test)}`, portal.StyleAddress},
	{`body{background:url(data:image/svg+xml;base64,PHN2Zy8+)}`, portal.StyleAddress},
	{`body{background:image("x.png")}`, portal.StyleAddress},
	{`body{background:image-set("x.png" 1x)}`, portal.StyleAddress},
	{`body{background:-webkit-image-set(url(x) 1x)}`, portal.StyleAddress},
	{`body{background:src("x.png")}`, portal.StyleAddress},
	{`body{background:element(#password)}`, portal.StyleAddress},
	{`body{background:-moz-element(#password)}`, portal.StyleAddress},
	{`body{background:cross-fade(url(a),url(b))}`, portal.StyleAddress},
	{`body{background:paint(x)}`, portal.StyleAddress},
	{`body{background:linear-gradient(red,url(x))}`, portal.StyleAddress},
	{`body{color:attr(value type(<color>))}`, portal.StyleAddress},
	{`body{color:env(x)}`, portal.StyleAddress},
	{`body{color:expression(alert(1))}`, portal.StyleAddress},
	{`body{width:e\78pression(alert(1))}`, portal.StyleAddress},
	{`body{filter:progid:DXImageTransform.Microsoft.AlphaImageLoader(src='x')}`, portal.StyleAddress},
	{`body{--x:url(https://evil.test);background:var(--x)}`, portal.StyleAddress},
	{`body{padding:calc(1px + 1px)}`, portal.StyleAddress},
	{`body{padding:min(1px,2px)}`, portal.StyleAddress},
	{`body{color:color-mix(in srgb,red,blue)}`, portal.StyleAddress},
	{`body{color:if(media(print): red)}`, portal.StyleAddress},
	{`.button{background:u/**/rl(x)}`, portal.StyleAddress},

	{`body{--ink-2:transparent}`, portal.StyleProperty},
	{`body{--x:red}`, portal.StyleProperty},
	{`body{color:var(--x)}`, portal.StyleValue},
	{`body{color:var(--ink,red)}`, portal.StyleValue},
	{`body{behavior:"x.htc"}`, portal.StyleProperty},
	{`body{-moz-binding:"x.xml"}`, portal.StyleProperty},
	{`body{src:"x"}`, portal.StyleProperty},
	{`.lead{content:"Call 1"}`, portal.StyleProperty},
	{`.lead::before{color:red}`, portal.StyleSelector},
	{`.lead:after{color:red}`, portal.StyleSelector},
	{`form{display:none}`, portal.StyleProperty},
	{`form{d\69splay:none}`, portal.StyleProperty},
	{`form{visibility:hidden}`, portal.StyleProperty},
	{`form{opacity:0}`, portal.StyleProperty},
	{`form{position:fixed}`, portal.StyleProperty},
	{`form{transform:scale(0)}`, portal.StyleAddress},
	{`form{translate:-9999px}`, portal.StyleProperty},
	{`form{clip-path:none}`, portal.StyleProperty},
	{`form{overflow:hidden}`, portal.StyleProperty},
	{`form{height:0}`, portal.StyleProperty},
	{`form{max-height:0}`, portal.StyleProperty},
	{`form{font:0/0 a}`, portal.StyleProperty},
	{`form{all:unset}`, portal.StyleProperty},
	{`form{z-index:9}`, portal.StyleProperty},
	{`form{order:9}`, portal.StyleProperty},
	{`form{float:left}`, portal.StyleProperty},
	{`form{text-indent:-9999px}`, portal.StyleProperty},
	{`form{animation:toast 0s}`, portal.StyleProperty},
	{`form{transition:color 9s}`, portal.StyleProperty},
	{`form{pointer-events:none}`, portal.StyleProperty},
	{`form{cursor:none}`, portal.StyleProperty},
	{`form{zoom:.01}`, portal.StyleProperty},
	{`form{direction:rtl}`, portal.StyleProperty},
	{`form{outline:0}`, portal.StyleProperty},
	{`form{-webkit-text-security:none}`, portal.StyleProperty},
	{`form{-webkit-text-fill-color:transparent}`, portal.StyleProperty},
	{`form{mask:none}`, portal.StyleProperty},
	{`form{margin:-999px}`, portal.StyleRange},
	{`form{margin-top:4000px}`, portal.StyleRange},
	{`form{padding:33px}`, portal.StyleRange},
	{`form{padding:100vh}`, portal.StyleValue},
	{`form{padding:1e9px}`, portal.StyleValue},
	{`form{font-size:0}`, portal.StyleRange},
	{`form{font-size:1px}`, portal.StyleRange},
	{`form{padding:2.1em}`, portal.StyleRange},
	{`form{padding:clamp(1px,2px,3px)}`, portal.StyleAddress},
	{`.button:active{margin-top:32px}`, portal.StyleMoving},
	{`.button:ACTIVE{margin-top:32px}`, portal.StyleMoving},
	{`body:active main{padding-bottom:32px}`, portal.StyleMoving},
	{`h1,form:focus-within .field{gap:32px}`, portal.StyleMoving},
	{`.input:focus{border:8px solid red}`, portal.StyleMoving},
	{`.links:hover a:visited{font-size:48px}`, portal.StyleMoving},
	{`@media screen{.button:focus-visible{line-height:2.5}}`, portal.StyleMoving},
	{`form{font-size:.5em}`, portal.StyleValue},
	{`form{line-height:0}`, portal.StyleRange},
	{`form{letter-spacing:-1em}`, portal.StyleRange},
	{`form{box-shadow:0 0 0 9999px #000}`, portal.StyleRange},
	{`form{box-shadow:0 -900px #000}`, portal.StyleRange},
	{`form{border:999px solid}`, portal.StyleRange},
	{`form{color:transparent}`, portal.StyleRange},
	{`form{color:#0000}`, portal.StyleRange},
	{`form{color:rgba(0,0,0,0)}`, portal.StyleRange},
	{`form{color:rgb(0 0 0 / 10%)}`, portal.StyleRange},
	{`form{color:hsla(0,0%,0%,.1)}`, portal.StyleRange},
	{`form{color:red!important}`, portal.StyleImportant},
	{`form{color:red ! important}`, portal.StyleImportant},
	{`form{color:red !\69mportant}`, portal.StyleImportant},
	{`form{font-family:"x\"};body{"}`, portal.StyleValue},
	{`form{font-family:"</style><script>"}`, portal.StyleValue},
	{`form{color:</style>}`, portal.StyleValue},
	{`form{color:r\65 d;background:\}`, portal.StyleUnreadable},

	{`input[value^=a]{color:red}`, portal.StyleSelector},
	{`input[value^="a"]{background:red}`, portal.StyleSelector},
	{`[value]{color:red}`, portal.StyleSelector},
	{`input\5bvalue\5d{color:red}`, portal.StyleUnreadable},
	{`form:has(input[value^=a]){color:red}`, portal.StyleSelector},
	{`form:has(:invalid){color:red}`, portal.StyleSelector},
	{`:is(input){color:red}`, portal.StyleSelector},
	{`:where(.msg){color:red}`, portal.StyleSelector},
	{`:not(.x){color:red}`, portal.StyleSelector},
	{`input:autofill{color:red}`, portal.StyleSelector},
	{`input:valid{color:red}`, portal.StyleSelector},
	{`input:placeholder-shown{color:red}`, portal.StyleSelector},
	{`:root{color:red}`, portal.StyleSelector},
	{`html{font-size:12px}`, portal.StyleSelector},
	{`*{color:red}`, portal.StyleSelector},
	{`form *{color:red}`, portal.StyleSelector},
	{`style{color:red}`, portal.StyleSelector},
	{`script{color:red}`, portal.StyleSelector},
	{`svg|a{color:red}`, portal.StyleSelector},
	{`:host{color:red}`, portal.StyleSelector},
	{`::part(x){color:red}`, portal.StyleSelector},
	{`::view-transition{color:red}`, portal.StyleSelector},
	{`::selection{color:red}`, portal.StyleSelector},
	{`.a::selection .b{color:red}`, portal.StyleSelector},
	{`&{color:red}`, portal.StyleSelector},
	{`.button,{color:red}`, portal.StyleSelector},
	{`,.button{color:red}`, portal.StyleSelector},
	{`> a{color:red}`, portal.StyleSelector},
	{`a >{color:red}`, portal.StyleSelector},
	{`a > > a{color:red}`, portal.StyleSelector},
	{`{color:red}`, portal.StyleSelector},
	{`-->a{color:red}`, portal.StyleSelector},
	{`<!--a{color:red}`, portal.StyleSelector},
	{`ａ{color:red}`, portal.StyleSelector},
	{"\u212abd{color:red}", portal.StyleSelector},
	{`\212a bd{color:red}`, portal.StyleUnreadable},
	{`.msg{color:#fff}`, portal.StyleProtected},
	{`.m\73g{color:#fff}`, portal.StyleProtected},
	{`.MSG{color:#fff}`, portal.StyleProtected},
	{`p.msg{color:#fff}`, portal.StyleProtected},
	{`.note.bad{color:#fff}`, portal.StyleProtected},
	{`.foot a{color:#fff}`, portal.StyleProtected},
	{`.langs{color:#fff}`, portal.StyleProtected},
	{`.skip{color:#fff}`, portal.StyleProtected},
	{`.contact{color:#fff}`, portal.StyleProtected},
	{`.toast{color:#fff}`, portal.StyleProtected},
	{`#phone-msg{color:#fff}`, portal.StyleProtected},

	{`.card{color:red;&:hover{color:blue}}`, portal.StyleNesting},
	{`.card{a:hover{color:red}}`, portal.StyleNesting},
	{`.card{.msg{color:red}}`, portal.StyleNesting},
	{`.card{@media screen{color:red}}`, portal.StyleNesting},
	{`.card{color:{red}}`, portal.StyleNesting},
	{strings.Repeat(`a{`, 4000), portal.StyleNesting},
	{`a{color:` + strings.Repeat(`rgb(`, 4000), portal.StyleValue},
	{`a{background:` + strings.Repeat(`linear-gradient(`, 1000) + strings.Repeat(`)`, 1000) + `}`, portal.StyleValue},
	{strings.Repeat(`a `, 9) + `{color:red}`, portal.StyleSelector},
	{strings.Repeat(`a,`, 30) + `a{color:red}`, portal.StyleSelector},
	{strings.Repeat(`a{color:red}`, 2000), portal.StyleTooLong},
	{strings.Repeat(`a,a,a,a,a,a,a,a{}`, 1200), portal.StyleTooLong},

	{`a{color:red`, portal.StyleUnfinished},
	{`a{color:red}/*`, portal.StyleUnfinished},
	{`a{font-family:"x`, portal.StyleUnfinished},
	{"a{font-family:\"x\n\"}", portal.StyleUnfinished},
	{`a{font-family:'x"}`, portal.StyleUnfinished},
	{`a`, portal.StyleUnreadable},
	{`a;b{color:red}`, portal.StyleUnreadable},
	{`}a{color:red}`, portal.StyleUnreadable},
	{`a{color red}`, portal.StyleUnreadable},
	{`a{co/**/lor:red}`, portal.StyleUnreadable},
	{`a{color:}`, portal.StyleValue},
	{`a{color:red;;color:rgb(}`, portal.StyleValue},
	{`a{color:red blue}`, portal.StyleValue},
	{`a{color:#12}`, portal.StyleValue},
	{`a{color:#zzzzzz}`, portal.StyleValue},
	{`a{*color:red}`, portal.StyleNesting},
	{`a{color:red\9}`, portal.StyleUnreadable},
	{"a{color:red}\x00", portal.StyleNotText},
	{"a{color:\xffred}", portal.StyleNotText},
	{"a{color:\u202ered}", portal.StyleNotText},
	{"a\u200b{color:red}", portal.StyleNotText},
	{"a{color:\ufffd}", portal.StyleNotText},
	{"+ADw-/style+AD4-", portal.StyleUnreadable},
}

// honestStyles are sheets as people write them, with what has to be left of each.
var honestStyles = []struct{ source, want string }{
	{"", ""},
	{"  \n/* nothing yet */\n", ""},
	{"\ufeff.button { border-radius: 4px }", `{border-radius:4px;}`},
	{".button{background:#D9480F;color:#fff}", `{background:#d9480f;color:#fff;}`},
	{"body { background: linear-gradient(to bottom, #fff 0%, #eef 100%); }", `{background:linear-gradient(to bottom,#fff 0%,#eef 100%);}`},
	{".panel { background: radial-gradient(circle at top left, rgba(255,255,255,.2), transparent 60%), #123456 }", `{background:radial-gradient(circle at top left,rgb(255 255 255/0.2),transparent 60%),#123456;}`},
	{".input:focus-visible { border-color: var(--brand-strong); box-shadow: 0 0 0 3px rgb(0 0 0 / 10%) }", `border-color:var(--brand-strong);box-shadow:0 0 0 3px rgb(0 0 0/10%);`},
	{"@media (prefers-color-scheme: dark) { body { background: #111; color: #eee } }", `@media (prefers-color-scheme:dark){body`},
	{"@media screen and (min-width: 900px), (orientation:landscape) { main { padding: 32px } }", `@media screen and (min-width:900px),(orientation:landscape){main`},
	{`h1, .lead { font-family: Georgia, "Noto Serif CJK SC", "微软雅黑", serif; letter-spacing: .02em }`, `font-family:"Georgia","Noto Serif CJK SC","微软雅黑",serif;letter-spacing:0.02em;`},
	{".tabs a[aria-current]{color:red}", "-"},
	{".tabs a:hover { text-decoration: underline }", `.tabs a:hover`},
	{"form > .button:not-a-state{color:red}", "-"},
	{"form > .button + .button ~ .links a { margin: 0 auto 8px; padding: 12px 1rem }", `{margin:0 auto 8px;padding:12px 1rem;}`},
	{".input { border: 2px solid tomato; border-width: 1px 2px; border-style: solid dashed }", `border:2px solid tomato;border-width:1px 2px;border-style:solid dashed;`},
	{".input::placeholder { color: slategrey }", `::placeholder{color:slategrey;}`},
	{".button { \\63olor: r\\65 d; }", `{color:red;}`},
	{".button/* between */{/* and */color/**/:/**/red/**/;}", `{color:red;}`},
	{"h1{color:hsl(210deg 50% 40%);font-size:2rem;font-weight:700;line-height:1.2;text-transform:uppercase;text-align:center}", `color:hsl(210deg 50% 40%);font-size:2rem;font-weight:700;line-height:1.2;`},
	{".mark{border-radius:50%;box-shadow:inset 0 1px 2px #0003,0 2px 8px 1px rgba(0,0,0,.1)}", `border-radius:50%;box-shadow:inset 0 1px 2px #0003,0 2px 8px 1px rgb(0 0 0/0.1);`},
	{".links{gap:8px 16px}.links a{color:currentColor;text-decoration:none;text-underline-offset:4px}", `gap:8px 16px;`},
	{".panel{padding:1em .5em;letter-spacing:-.03em;box-shadow:0 -1em 4em #000}", `{padding:clamp(0px,1em,32px) 0.5em;letter-spacing:clamp(-0.5px,-0.03em,4px);box-shadow:0 clamp(-24px,-1em,24px) clamp(0px,4em,64px) #000;}`},
	{".button:active,.button:hover{background:#000;border-color:red;border-radius:4px;box-shadow:none}", `{background:#000;border-color:red;border-radius:4px;box-shadow:none;}`},
	{"label:first-child,input:checked{padding:4px}", `{padding:4px;}`},
	{".button:hover{color:red}.button{padding:4px}", `{padding:4px;}`},
	{"#sign-in .field label{font-weight:500;accent-color:rebeccapurple}", `#sign-in .field label`},
	{"MAIN{BACKGROUND-COLOR:RGBA(255,255,255,0.9);COLOR:BLACK}", `{background-color:rgb(255 255 255/0.9);color:black;}`},
	{"a{color:red;}\r\n\r\n@media print\r\n{ a { color : black } }", `@media print{a`},
	{".button{padding:0}\n;", "-"},
}

func TestHostileStyleSheetsAreRefusedWithTheLineAndTheReason(t *testing.T) {
	if len(hostileStyles) < 80 {
		t.Errorf("only %d", len(hostileStyles))
	}
	for _, c := range hostileStyles {
		for _, before := range []string{"", "/* one\ntwo */ .lead { color: red }\n"} {
			css, problems := portal.FilterStyle(before + c.source)
			name := c.source[:min(len(c.source), 60)]
			if css != "" || len(problems) == 0 || len(problems) > portal.MaxStyleProblems {
				t.Errorf("%q gave %q", name, css)
				continue
			}
			if problems[0].Why != c.why {
				t.Errorf("%q: %+v, want %s", name, problems, c.why)
			}
			if line := problems[0].Line; c.why != portal.StyleTooLong && line < 1+strings.Count(before, "\n") {
				t.Errorf("%q is in line %d", name, line)
			}
		}
	}
}

func TestHonestStyleSheetsSurvive(t *testing.T) {
	for _, c := range honestStyles {
		css, problems := portal.FilterStyle(c.source)
		if c.want == "-" {
			if len(problems) == 0 {
				t.Errorf("%q is taken: %s", c.source, css)
			}
			continue
		}
		if len(problems) > 0 || !strings.Contains(css, c.want) {
			t.Errorf("%q gave %q %+v", c.source, css, problems)
		}
		checkStyle(t, css)
	}
}

func TestEveryProblemOfASheetIsToldUpToAFew(t *testing.T) {
	_, problems := portal.FilterStyle("a { color: red }\nform { display: none; opacity: 0 }\n\n.msg { color: #fff }\nb{}i{}u{}q{}")
	want := []portal.StyleProblem{
		{Line: 2, Why: portal.StyleProperty, What: "display"}, {Line: 2, Why: portal.StyleProperty, What: "opacity"},
		{Line: 4, Why: portal.StyleProtected, What: ".msg"}, {Line: 5, Why: portal.StyleSelector, What: "b"}, {Line: 5, Why: portal.StyleSelector, What: "i"},
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

// styleSpares is what every selector of a served sheet ends with.
const styleSpares = `:not(:where(.msg,.msg *,.bad,.bad *,.foot,.foot *,.skip,.toast,.toast *,.contacts,.contacts *,a[href^="tel:"]))`

// heldEm is an em that would be too much in large type.
var heldEm = regexp.MustCompile(`clamp\([-\d.]+px,([-\d.]+em),[\d.]+px\)`)

// checkStyle holds a served sheet against what none may contain, and has it read again to the same.
func checkStyle(t *testing.T, css string) {
	t.Helper()
	plain := heldEm.ReplaceAllString(strings.ReplaceAll(css, styleSpares, ""), "$1")
	for _, never := range []string{"url", "\\", "<", "!", "[", "/*", "expression", "import", "--x", "position", "display", "opacity", "&"} {
		if strings.Contains(strings.ToLower(withoutFamilies(plain)), never) {
			t.Errorf("%q is in %q", never, plain)
		}
	}
	if strings.Count(css, "{") != strings.Count(css, "}") {
		t.Errorf("blocks do not end: %q", css)
	}
	again, problems := portal.FilterStyle(plain)
	if again != css && len(plain) <= portal.MaxStyle {
		t.Errorf("read again, %q is %q %+v", plain, again, problems)
	}
}

// withoutFamilies drops the names of fonts, which hold any letters.
func withoutFamilies(css string) string {
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
	for _, c := range hostileStyles {
		if len(c.source) < 500 {
			f.Add(c.source)
		}
	}
	for _, c := range honestStyles {
		f.Add(c.source)
	}
	f.Fuzz(func(t *testing.T, source string) {
		css, problems := portal.FilterStyle(source)
		if (css == "") != (len(problems) > 0) && strings.TrimSpace(css) != "" {
			t.Errorf("both: %q %+v", css, problems)
		}
		checkStyle(t, css)
	})
}
