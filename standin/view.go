package standin

import (
	"context"
	"crypto/sha256"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"portico/locale"
)

// name returns the provider's name and the kind of page.
func (d authPage) name(ctx context.Context) string {
	switch d {
	case wechatQR:
		return locale.T(ctx, "standin.wechat_qr")
	case wecomApp:
		return locale.T(ctx, "standin.wecom_app")
	case wecomQR:
		return locale.T(ctx, "standin.wecom_qr")
	}
	return locale.T(ctx, "standin.wechat_app")
}

func (v choice) heading(ctx context.Context) string {
	switch {
	case v.authPage.isQR():
		return locale.T(ctx, "standin.scan", "app", appName(ctx, v.app))
	case v.silent():
		return locale.T(ctx, "standin.silent")
	}
	return locale.T(ctx, "standin.consent")
}

func (v choice) lead(ctx context.Context) string {
	switch {
	case v.authPage.isQR():
		return locale.T(ctx, "standin.scan.lead")
	case v.silent():
		return locale.T(ctx, "standin.silent.lead")
	}
	return locale.T(ctx, "standin.consent.lead", "app", appName(ctx, v.app))
}

func (v choice) question(ctx context.Context) string {
	if v.authPage.isQR() {
		return locale.T(ctx, "standin.who.scans")
	}
	return locale.T(ctx, "standin.who")
}

// hiddenFields returns the parameters of the page in their order, without what was chosen on it.
func (v choice) hiddenFields() [][2]string {
	var pairs [][2]string
	for _, name := range pageParams[v.authPage] {
		if v.asked.Has(name) {
			pairs = append(pairs, [2]string{name, v.asked.Get(name)})
		}
	}
	return pairs
}

// sortedPeople returns the people. The one who was chosen last comes first.
func (v choice) sortedPeople() []person {
	if !v.known {
		return v.people
	}
	sorted := []person{v.now}
	for _, p := range v.people {
		if p.key != v.now.key {
			sorted = append(sorted, p)
		}
	}
	return sorted
}

// describe returns what the provider knows about a person.
func (v choice) describe(ctx context.Context, p person) string {
	if v.authPage.isWeCom() {
		return p.relation(ctx)
	}
	return locale.T(ctx, "standin.nick", "nick", p.nick)
}

// relation returns what a person is to the company at WeCom: a member, a customer or an outsider.
func (p person) relation(ctx context.Context) string {
	switch {
	case p.userID != "":
		return locale.T(ctx, "standin.member", "id", p.userID)
	case p.customer:
		return locale.T(ctx, "standin.customer")
	}
	return locale.T(ctx, "standin.outsider")
}

// speechBubble is the SVG path of the mark of both providers.
const speechBubble = "M4 11c0-3.3 3.1-6 7-6s7 2.7 7 6-3.1 6-7 6c-.8 0-1.6-.1-2.3-.3L5.6 18l.5-2.4C4.8 14.5 4 12.9 4 11z"

const colours = 6

// colour returns the number of a person's colour. Each built-in person has another one.
func (p person) colour() int {
	if i := slices.Index(people, p); i >= 0 {
		return i
	}
	return int(p.id("colour", "")[0]) % colours
}

func (t trouble) text(ctx context.Context) string {
	switch t {
	case expired:
		return locale.T(ctx, "standin.trouble.expired")
	case used:
		return locale.T(ctx, "standin.trouble.used")
	case silence:
		return locale.T(ctx, "standin.trouble.silence")
	case html:
		return locale.T(ctx, "standin.trouble.html")
	case busy:
		return locale.T(ctx, "standin.trouble.busy")
	case stale:
		return locale.T(ctx, "standin.trouble.stale")
	case otherState:
		return locale.T(ctx, "standin.trouble.state")
	case snapshot:
		return locale.T(ctx, "standin.trouble.snapshot")
	}
	return locale.T(ctx, "standin.trouble.none")
}

func (f refusal) text(ctx context.Context) string { return locale.T(ctx, f.key) }

// appName returns the name of the application on the page.
func appName(ctx context.Context, app string) string {
	if owner(app) == owner(AppID) {
		return locale.T(ctx, "platform")
	}
	return app
}

// inLang returns the URL of the same page in another language.
func inLang(here *url.URL, l locale.Lang) string {
	var kept []string
	for _, pair := range strings.Split(here.RawQuery, "&") {
		if pair != "" && !strings.HasPrefix(pair, "lang=") && !strings.HasPrefix(pair, "person=") {
			kept = append(kept, pair)
		}
	}
	return here.Path + "?" + strings.Join(append(kept, "lang="+string(l)), "&")
}

// fakeQRPath returns the SVG path of a drawing that looks like a QR code.
func fakeQRPath(seed string) string {
	var path strings.Builder
	sum := sha256.Sum256([]byte(seed))
	for y := 2; y < 27; y++ {
		row := sha256.Sum256(append(sum[:], byte(y)))
		for x := 2; x < 27; x++ {
			corner := x < 10 && y < 10 || x > 18 && y < 10 || x < 10 && y > 18
			if !corner && row[x]&1 == 1 {
				fmt.Fprintf(&path, "M%d %dh1v1h-1z", x, y)
			}
		}
	}
	return path.String()
}
