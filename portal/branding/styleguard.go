package branding

// ServedStyle returns a filtered sheet as it is served, followed by the platform's own rules. Those keep messages, the
// agreement, the languages and the contacts readable. A company's sheet cannot override them, because its rules are
// never important.
func ServedStyle(css string) string { return css + styleGuard }

// What holds a message or a field keeps its width, but for the padding of the card and the form: however many rules
// there are, none leaves a message without room. Fields grow with their type, and the eye in a field and the button
// beside one stay there.
const styleGuard = `body,.door,.bar,.top,main,form,section,fieldset,.field,.field>div,.stack,.links,` +
	`main>div{margin-left:0!important;margin-right:0!important}` +
	`body,.door,.bar,.top,section,fieldset,.field,.field>div,.stack,.links,` +
	`main>div:not(.note){padding-left:0!important;padding-right:0!important;border-left-width:0!important;` +
	`border-right-width:0!important}` +
	`.side{margin-left:auto!important;margin-right:auto!important;padding-left:max(16px,` +
	`env(safe-area-inset-left))!important;padding-right:max(16px,env(safe-area-inset-right))!important;` +
	`border-left-width:0!important;border-right-width:0!important}` +
	`body{overflow-wrap:anywhere!important}.panel{overflow:hidden!important}.tabs,.top{flex-wrap:wrap!important}` +
	`.input{height:auto!important;min-height:48px!important}.peek{margin:0!important;padding:12px!important;` +
	`border-width:0!important}` +
	`.code-row{flex-wrap:wrap!important}.code-row .input{min-width:min(120px,100%)!important}.code-row ` +
	`.button{max-width:100%!important;white-space:normal!important}` +
	`.msg,.bad,.foot,.contact{position:relative!important;z-index:1!important}` +
	`.msg,.bad,.foot,.skip,.toast,.contacts,.contact,a[href^="tel:"]{font-family:system-ui,-apple-system,` +
	`"PingFang SC","Microsoft YaHei","Noto Sans CJK SC",sans-serif!important;` +
	`font-style:normal!important;line-height:1.5!important;letter-spacing:normal!important;` +
	`text-align:start!important;text-transform:none!important}` +
	`.msg{font-size:14px!important;font-weight:400!important;color:var(--bad)!important;` +
	`background:var(--card)!important}` +
	`.bad{font-size:16px!important;font-weight:400!important;color:var(--bad)!important;` +
	`background:var(--bad-soft)!important}` +
	`.foot{font-size:14px!important;font-weight:400!important;padding:8px 16px!important;margin:8px 0!important;` +
	`border:0!important;border-radius:10px!important;background:var(--card)!important}` +
	`.foot a,.foot button{color:var(--ink-2)!important}.langs [aria-current]{color:var(--ink)!important}` +
	`.contact,.contacts,.skip{color:var(--ink)!important;background:var(--card)!important}` +
	`.toast{color:var(--page)!important;background:var(--ink)!important}` +
	`a[href^="tel:"]:not(.contact,.bad *){color:var(--brand-strong)!important;background:var(--card)!important;` +
	`padding:8px 10px!important;border-radius:8px!important}` +
	`[aria-invalid=true]{border-color:var(--bad)!important}` +
	`:focus-visible{outline:3px solid var(--brand-strong)!important;outline-offset:2px!important}`
