package engines

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"portico/e2e/browser"
	"portico/e2e/program"
)

// window is a size of the browser's window in pixels.
type window struct {
	name          string
	width, height int
}

var windows = []window{{"phone", 400, 800}, {"desktop", 1280, 900}}

// person uses the pages in an engine. Its pages are those of 127.0.0.1, because WebKit asks the system for the address
// of account.localhost, which not every system knows.
type person struct {
	engine
	t    *testing.T
	site string
}

// visit opens a page.
func (p *person) visit(path string) {
	p.t.Helper()
	if err := p.Open(p.site + path); err != nil {
		p.t.Fatal(err)
	}
}

// run runs the body of a script function on the page.
func (p *person) run(body string) string {
	p.t.Helper()
	text, err := p.Run(body)
	if err != nil {
		p.t.Fatal(err)
	}
	return text
}

// fill types into the field with an id. It types again when the page has moved the focus meanwhile. A code may send the
// form with its last digit, so the field may be gone then.
func (p *person) fill(id, text string) {
	p.t.Helper()
	until(p.t, "type into "+id, func() error {
		found, err := p.Run(
			`const f = document.getElementById("` + id + `"); if (!f) return "gone"; f.focus(); f.select();
			return f.id`,
		)
		if err == nil && found == "gone" {
			err = fmt.Errorf("no such field")
		}
		if err == nil {
			err = p.Type(text)
		}
		if err != nil {
			return err
		}
		got, err := p.Run(`const f = document.getElementById("` + id + `"); return f ? f.value : "gone"`)
		if err == nil && got != "gone" && strings.ReplaceAll(got, " ", "") != text {
			err = fmt.Errorf("%q, want %q", got, text)
		}
		return err
	})
}

// press presses the control of a selector.
func (p *person) press(selector string) {
	p.t.Helper()
	if p.run(`const b = document.querySelector("`+selector+`"); if (!b) return ""; b.click(); return "pressed"`) == "" {
		p.t.Fatalf("no %s at %s", selector, p.run("return location.href"))
	}
}

// arrive waits for a page with a path.
func (p *person) arrive(path string) {
	p.t.Helper()
	until(p.t, "arrive at "+path, func() error {
		at, err := p.Run(`return document.readyState === "complete" ? location.pathname : ""`)
		if err == nil && at != path {
			text, _ := p.Run(`return document.body ? document.body.innerText.slice(0, 600) : ""`)
			err = fmt.Errorf("at %s:\n%s", at, text)
		}
		return err
	})
	p.look()
}

// reach waits for a page on any host whose path ends with one of ends.
func (p *person) reach(ends ...string) {
	p.t.Helper()
	until(p.t, "reach "+ends[0], func() error {
		at, err := p.Run(`return document.readyState === "complete" ? location.pathname : ""`)
		if err == nil && !slices.ContainsFunc(ends, func(end string) bool { return strings.HasSuffix(at, end) }) {
			err = fmt.Errorf("at %s", at)
		}
		return err
	})
	p.look()
}

// look checks that the page does not scroll sideways and that its islands live.
func (p *person) look() {
	p.t.Helper()
	// The answer to a form may have the form's own path and still be loading. Then there is no document for a moment.
	until(p.t, "a document", func() error {
		wide, err := p.Run(`return document.documentElement.scrollWidth > innerWidth ? location.href : ""`)
		if err == nil && wide != "" {
			p.t.Errorf("%s scrolls sideways", wide)
		}
		return err
	})
	if browser.HasScripts {
		until(p.t, "the islands", func() error {
			dead, err := p.Run(`return [...document.querySelectorAll("[data-island]")]
				.filter(e => !("ready" in e.dataset)).map(e => e.dataset.island).join()`)
			if err == nil && dead != "" {
				err = fmt.Errorf("%s did not come to life", dead)
			}
			return err
		})
	}
}

// code presses the button that sends a code and returns the code that a phone received.
func (p *person) code(number string) (code string) {
	p.t.Helper()
	p.press("[name=action][value=send_code]")
	until(p.t, "the code", func() error {
		list, err := browser.Normal.Inbox(number)
		if err == nil && len(list) == 0 {
			err = fmt.Errorf("no message to %s", number)
		}
		if err == nil {
			code = list[0].Code
		}
		return err
	})
	return code
}

// flows are the ways through the public pages.
var flows = map[string]func(p *person){
	"sign in": func(p *person) {
		p.visit("/login")
		p.look()
		p.fill("phone", "13800000003")
		p.fill("password", program.Password)
		p.press("#sign-in .button")
		p.arrive("/company")
		if n := p.run(`return String(document.querySelectorAll("button[name=company_id]").length)`); n != "4" {
			p.t.Errorf("%s destinations, want 4", n)
		}
	},
	"register": func(p *person) {
		founder := program.NewFounder()
		p.visit("/register")
		p.look()
		p.fill("phone", founder.Phone)
		code := p.code(founder.Phone)
		p.fill("password", program.NewPassword)
		p.fill("name", founder.Name)
		p.fill("company_name", founder.Company)
		p.press("#agree")
		p.fill("code", code)
		p.submit("/register")
		p.arrive("/register/init")
	},
	"join": func(p *person) {
		company := browser.Normal.AddCompany(p.t, "zh", "", true)
		number := program.NewPhone()
		p.visit(fmt.Sprintf("/register/more?companyId=%d", company.ID))
		p.look()
		p.fill("phone", number)
		code := p.code(number)
		p.fill("code", code)
		p.submit("/register/more")
		until(p.t, "the second step", func() error {
			if p.run(`return String(!!document.getElementById("contact_name"))`) != "true" {
				return fmt.Errorf("still at the first")
			}
			return nil
		})
		p.fill("company_name", "餐馆"+number[7:])
		p.fill("contact_name", "李女士")
		p.press("#care > .button:not(.quiet)")
		p.arrive("/register/result")
	},
	"bind": func(p *person) {
		who := browser.Normal.AddPersonWithoutPhone(p.t)
		p.visit("/login/account")
		p.fill("login", who.Login)
		p.fill("password", program.Password)
		p.press("#sign-in .button")
		p.arrive("/bind")
		p.fill("phone", who.Phone)
		code := p.code(who.Phone)
		p.fill("code", code)
		p.submit("/bind")
		p.arrive("/bind")
		until(p.t, "the second step", func() error {
			if p.run(`return String(!!document.querySelector("[name=password]"))`) != "true" {
				return fmt.Errorf("still at the first")
			}
			return nil
		})
		p.fill("password", program.NewPassword)
		p.fill("confirm_password", program.NewPassword)
		p.press("#care > .button:not(.text)")
		until(p.t, "bind", func() error {
			if n := browser.Normal.Count(p.t, "SELECT COUNT(*) FROM phones WHERE phone = ?", who.Phone); n != 1 {
				return fmt.Errorf("%d phones", n)
			}
			return nil
		})
	},
	"list": func(p *person) {
		company := browser.Normal.AddCompany(p.t, "zh", "", true)
		p.visit("/login")
		p.fill("phone", company.Phone)
		p.fill("password", program.Password)
		p.press("#sign-in .button")
		p.reach("/mgr", "/home") // the back office of desktops, and that of phones
		p.press(`.menu a[href$='/customers']`)
		p.reach("/customers")
		if !browser.HasScripts {
			return
		}
		until(p.t, "htmx", func() error {
			if p.run(`return String(!!document.querySelector(".states [data-htmx-powered]"))`) != "true" {
				return fmt.Errorf("no link of the list is watched")
			}
			return nil
		})
		p.run(`window.stayed = "yes"; document.querySelector(".states a:last-child").click(); return ""`)
		until(p.t, "the tab", func() error {
			if got := p.run(`return window.stayed + location.search +
				document.querySelector(".states a:last-child").getAttribute("aria-current")`); !strings.HasPrefix(
				got, "yes?state=") || !strings.HasSuffix(got, "page") {
				return fmt.Errorf("%q", got)
			}
			return nil
		})
		p.look()
	},
	"forgot": func(p *person) {
		who := browser.Normal.AddPerson(p.t)
		p.visit("/forget/phone")
		p.look()
		p.fill("phone", who.Phone)
		code := p.code(who.Phone)
		p.fill("password", program.NewPassword)
		p.fill("confirm_password", program.NewPassword)
		p.fill("code", code)
		p.submit("/forget/phone")
		p.arrive("/login")
	},
}

// submit sends the form, unless the sixth digit of the code has sent it already.
func (p *person) submit(path string) {
	p.t.Helper()
	_, err := p.Run(
		`const b = location.pathname === "` + path + `" && document.querySelector("#care > .button:not(.quiet)")
		if (b && !b.classList.contains("busy")) b.click(); return ""`,
	)
	if err != nil && !browser.HasScripts {
		p.t.Fatal(err)
	}
}

func TestMainFlowsWorkInEveryEngine(t *testing.T) {
	browser.NeedBrowser(t)
	for name, launch := range engines {
		for _, w := range windows {
			t.Run(name+" "+w.name, func(t *testing.T) {
				for what, flow := range flows {
					t.Run(what, func(t *testing.T) {
						e := launch(t, w.width, w.height)
						if e == nil && os.Getenv("CI") != "" {
							t.Fatal(name + " is needed under CI")
						}
						if e == nil {
							t.Skip(name + " is not installed: make engines")
						}
						_, port, _ := strings.Cut(browser.Normal.Base, ":")
						flow(&person{e, t, "http://127.0.0.1:" + port})
					})
				}
			})
		}
	}
}
