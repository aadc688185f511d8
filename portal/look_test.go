package portal_test

import (
	"bytes"
	"errors"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"portico/portal"
	"portico/portal/picturetest"
	"portico/store"
)

// look is a whole look of 1002.
func look(name string) portal.AppearanceInput {
	return portal.AppearanceInput{Name: name, Theme: "1c7ed6", Language: "es", ShopSkin: "d9480f", Style: ".button { color: #fff }"}
}

// publish publishes a look of 1002 and gives its company.
func (p *platform) publish(in portal.AppearanceInput) store.Company {
	p.t.Helper()
	noError(p.t, p.SetAppearance(p.t.Context(), p.office("sur"), in))
	return p.company(1002)
}

// mark is what undoes the look of 1002 now.
func (p *platform) mark() string {
	p.t.Helper()
	kept, ok, err := p.LookBefore(p.t.Context(), p.office("sur"))
	if err != nil || !ok {
		p.t.Fatalf("nothing to undo: %v", err)
	}
	return kept.Mark
}

func TestALookIsUndoneByOnePressAndThatIsUndoneByTheNext(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		before := p.company(1002)
		if _, ok, err := p.LookBefore(t.Context(), p.office("sur")); ok || err != nil {
			t.Fatalf("there is something to undo: %v", err)
		}
		first := p.publish(look("Uno"))
		if first.Name != "Uno" || first.ShopSkin != "d9480f" || !strings.HasPrefix(first.LoginStyleURL, "/style/") {
			t.Fatalf("%+v", first)
		}
		mark := p.mark()
		p.restart()
		noError(t, p.UndoAppearance(t.Context(), p.office("sur"), mark))
		undone := p.company(1002)
		if undone.Name != before.Name || undone.Theme != before.Theme || undone.ShopSkin != "" || undone.LoginStyleURL != "" || undone.UpdatedAt <= first.UpdatedAt {
			t.Errorf("%+v", undone)
		}
		noError(t, p.UndoAppearance(t.Context(), p.office("sur"), mark)) // the same press again
		if p.company(1002) != undone || p.events(1002, "appearance_undone") != 1 {
			t.Error("pressing twice undoes twice")
		}
		noError(t, p.UndoAppearance(t.Context(), p.office("sur"), p.mark()))
		if again := p.company(1002); again.Name != "Uno" || again.LoginStyleURL != first.LoginStyleURL {
			t.Errorf("%+v", again)
		}
		field(t, p.UndoAppearance(t.Context(), p.office("sur"), mark), "undo", portal.LookUndone)
		if in, err := p.AppearanceOf(t.Context(), p.office("sur")); err != nil || in.Style != look("").Style {
			t.Errorf("%+v %v", in, err)
		}
	})
}

func TestOfTwoAdministratorsTheSecondIsToldThatTheFirstPublished(t *testing.T) {
	eachCondition(t, func(t *testing.T, p *platform) {
		seen, err := p.AppearanceOf(t.Context(), p.office("sur"))
		noError(t, err)
		mine, theirs := look("Mío"), look("Suyo")
		mine.Seen, theirs.Seen = seen.Seen, seen.Seen
		p.publish(mine)
		field(t, p.SetAppearance(t.Context(), p.office("sur"), theirs), "seen", portal.LookChanged)
		if p.company(1002).Name != "Mío" {
			t.Error("the first is lost")
		}
		now, err := p.AppearanceOf(t.Context(), p.office("sur"))
		noError(t, err)
		theirs.Seen = now.Seen
		p.publish(theirs)
		mark := p.mark()
		var wait sync.WaitGroup
		done := make([]error, 4)
		for i := range done {
			wait.Go(func() { done[i] = p.UndoAppearance(t.Context(), p.office("sur"), mark) })
		}
		wait.Wait()
		for _, err := range done {
			noError(t, err)
		}
		if n := p.events(1002, "appearance_undone"); n != 1 || p.company(1002).Name != "Mío" {
			t.Errorf("undone %d times: %s", n, p.company(1002).Name)
		}
	})
}

func TestWhatTheOperatorChangesCanBeUndone(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		p.restart(func(o *portal.Options) { o.Counters = []string{"count.example.com"} })
		before := p.company(1002)
		for name, value := range map[string]string{"shop_skin": "ABCDEF", "style": ".lead{color:red}", "view_count": "https://count.example.com/p/", "theme": "000000"} {
			noError(t, p.SetCompany(t.Context(), 1002, name, value))
		}
		c := p.company(1002)
		if c.ShopSkin != "abcdef" || c.ViewCountURL != "https://count.example.com/p" || portal.LoginStyle(c) == "" {
			t.Errorf("%+v", c)
		}
		noError(t, p.SetCompany(t.Context(), 1002, "mall", "open"))
		for name, value := range map[string]string{"shop_skin": "red", "style": ".lead{\ndisplay:none}", "view_count": "http://count.example.com"} {
			if err := p.SetCompany(t.Context(), 1002, name, value); !errors.Is(err, portal.ErrSetting) || name == "style" && !strings.Contains(err.Error(), "line 2") {
				t.Errorf("%s: %v", name, err)
			}
		}
		p.publish(portal.AppearanceInput{Name: before.Name, Language: before.Language})
		noError(t, p.UndoAppearance(t.Context(), p.office("sur"), p.mark()))
		if back := p.company(1002); back.ShopSkin != c.ShopSkin || back.ViewCountURL != c.ViewCountURL || back.LoginStyleURL != c.LoginStyleURL || back.Theme != "000000" {
			t.Errorf("%+v", back)
		}
		noError(t, p.SetCompany(t.Context(), 1002, "style", ""))
		if portal.LoginStyle(p.company(1002)) != "" {
			t.Error("the sheet is still there")
		}
	})
}

func TestAStyleSheetIsServedFilteredToItsOwnCompanysHosts(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		name := strings.TrimPrefix(p.publish(look("Uno")).LoginStyleURL, "/style/")
		for host, found := range map[string]bool{"store1002.portico.test": true, "mgr.portico.test": true, accountHost: true, "store1001.portico.test": false, "jinsui.test": false} {
			css, err := p.Style(t.Context(), p.place(host), name)
			if found && (err != nil || !strings.Contains(css, "{color:#fff;}") || !strings.HasSuffix(css, portal.ServedStyle(""))) {
				t.Errorf("%s: %q %v", host, css, err)
			} else if !found && !errors.Is(err, portal.NotFound) {
				t.Errorf("%s: %v", host, err)
			}
		}
		for _, none := range []string{"", "x.css", name + ".css", "../" + name, strings.TrimSuffix(name, ".css"), "\x00.css", "\xff.css", "a\x00" + name} {
			if _, err := p.Style(t.Context(), p.place(accountHost), none); !errors.Is(err, portal.NotFound) {
				t.Errorf("%q: %v", none, err)
			}
			if _, err := p.Icon(t.Context(), strings.ReplaceAll(none, ".css", ".png")); !errors.Is(err, portal.NotFound) {
				t.Errorf("icon %q: %v", none, err)
			}
		}
		noError(t, p.db.KeepStyle(t.Context(), 1002, "planted", "body{background:url(//evil.test)}", 1))
		if css, err := p.Style(t.Context(), p.place(accountHost), "planted.css"); err != nil || css != portal.ServedStyle("") {
			t.Errorf("what the filter refuses is served: %q %v", css, err)
		}
		p.publish(portal.AppearanceInput{Name: "Dos", Language: "es"})
		p.publish(portal.AppearanceInput{Name: "Tres", Language: "es"})
		if _, err := p.Style(t.Context(), p.place(accountHost), name); !errors.Is(err, portal.NotFound) {
			t.Errorf("a sheet of a look that is gone is served: %v", err)
		}
	})
}

func TestARefusedStyleSheetSaysWhereAndChangesNothing(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		before := p.company(1002)
		in := look("Uno")
		in.Style = ".button { color: red }\n.foot { color: red }"
		with := refused(t, p.SetAppearance(t.Context(), p.office("sur"), in), portal.ValidationFailed)
		if len(with.Styles) != 1 || with.Styles[0].Line != 2 || with.Styles[0].Why != portal.StyleProtected || with.Fields["style"] != portal.StyleRefused {
			t.Errorf("%+v", with)
		}
		in.Style = strings.Repeat("a", portal.MaxStyle+1)
		if with := refused(t, p.SetAppearance(t.Context(), p.office("sur"), in), portal.ValidationFailed); with.Styles[0].Why != portal.StyleTooLong {
			t.Errorf("%+v", with.Styles)
		}
		if p.company(1002) != before {
			t.Error("something changed")
		}
	})
}

func TestStatisticsAreAtListedHostsAlone(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		listed := func(o *portal.Options) { o.Counters = []string{"count.example.com", "stats.example.org"} }
		p.restart(listed)
		in := look("Uno")
		for _, c := range []struct {
			address string
			want    portal.Problem
		}{
			{"http://count.example.com/p", portal.CounterMalformed}, {"//count.example.com/p", portal.CounterMalformed}, {"count.example.com", portal.CounterMalformed},
			{"javascript:alert(1)", portal.CounterMalformed}, {"data:text/javascript,1", portal.CounterMalformed}, {"HTTPS://count.example.com", portal.CounterMalformed},
			{"https://count.example.com/p?x=1", portal.CounterMalformed}, {"https://count.example.com/p#x", portal.CounterMalformed}, {"https://count.example.com/../x", portal.CounterMalformed},
			{"https://count.example.com//x", portal.CounterMalformed}, {"https://count.example.com/a b", portal.CounterMalformed}, {"https://count.example.com/%2e", portal.CounterMalformed},
			{"https://count.example.com/x;y", portal.CounterMalformed}, {`https://count.example.com/"x`, portal.CounterMalformed}, {"https://count.example.com/\\x", portal.CounterMalformed},
			{"https://count.example.com/" + strings.Repeat("a", 200), portal.CounterMalformed},
			{"https://evil.test/p", portal.CounterUnlisted}, {"https://count.example.com.evil.test/p", portal.CounterUnlisted}, {"https://x@count.example.com/p", portal.CounterUnlisted},
			{"https://count.example.com:8443/p", portal.CounterUnlisted}, {"https://count.example.com@evil.test", portal.CounterUnlisted}, {"https://COUNT.example.com/p", portal.CounterUnlisted},
			{"https://count.example.com;evil/p", portal.CounterUnlisted}, {"https://", portal.CounterMalformed}, {"https:///p", portal.CounterUnlisted}, {"https://*/p", portal.CounterUnlisted},
		} {
			in.ViewCount = c.address
			if with := refused(t, p.SetAppearance(t.Context(), p.office("sur"), in), portal.ValidationFailed); with.Fields["view_count"] != c.want {
				t.Errorf("%s: %v", c.address, with.Fields)
			}
		}
		in.ViewCount, in.Agreed = " https://count.example.com/in/p_1/ ", "https://count.example.com/in/p_1"
		c := p.publish(in)
		agreement := portal.PageView{Page: "agreement"}
		if sent := p.ReportOf(c,
			agreement); sent != (portal.ViewReport{URL: "https://count.example.com/in/p_1/1002/agreement",
			Origin: "https://count.example.com"}) {
			t.Errorf("%+v", sent)
		}
		if shown, err := p.CompanyByID(t.Context(), 1002); err != nil || shown.ViewCountURL != "https://count.example.com/in/p_1" {
			t.Errorf("%+v %v", shown, err)
		}
		p.restart(func(o *portal.Options) { o.Counters = nil })
		if sent := p.ReportOf(c, agreement); sent != (portal.ViewReport{}) {
			t.Errorf("a host that is listed no more: %+v", sent)
		}
		if shown, err := p.CompanyByID(t.Context(), 1002); err != nil || shown.ViewCountURL != "" {
			t.Errorf("%+v %v", shown, err)
		}
	})
}

// toolHosts are the hosts of the known tools, as an operator would list them.
var toolHosts = []string{"hm.baidu.com", "www.google-analytics.com", "matomo.example.com", "plausible.io"}

// viewed is a page view with something to encode in every part.
var viewed = portal.PageView{
	Page: "shop-order", Origin: "https://store1002.example.com", Path: "/home/orders/id", Title: "Mariscos & Más", Language: "es",
	Referrer: "https://www.example.org",
}

func TestEachToolGetsThePageViewInItsOwnForm(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		p.restart(func(o *portal.Options) { o.Counters = toolHosts })
		c := p.company(1002)
		const id = "0123456789abcdef0123456789abcdef"
		for _, tool := range []struct {
			entered, to, body string
			query             url.Values
		}{
			{
				"https://hm.baidu.com/hm.js?" + id, "https://hm.baidu.com/hm.gif", "",
				url.Values{"si": {id}, "et": {"0"}, "v": {"wap-0-0.2"},
					"u":  {"https://store1002.example.com/home/orders/id"},
					"tt": {"Mariscos & Más"}, "su": {"https://www.example.org"}, "ln": {"es"}},
			},
			{
				"https://matomo.example.com/in/matomo.php?idsite=7", "https://matomo.example.com/in/matomo.php", "",
				url.Values{"idsite": {"7"}, "rec": {"1"}, "apiv": {"1"}, "action_name": {"Mariscos & Más"},
					"lang": {"es"},
					"url":  {"https://store1002.example.com/home/orders/id"}, "urlref": {"https://www.example.org"}},
			},
			{
				"https://www.googletagmanager.com/gtag/js?id=G-ABC123DEF4",
				"https://www.google-analytics.com/g/collect", "", googleView,
			},
			{
				"https://www.google-analytics.com/g/collect?measurement_id=G-ABC123DEF4",
				"https://www.google-analytics.com/g/collect", "",
				googleView,
			},
			{
				"https://plausible.io/api/event?domain=shop.example.com", "https://plausible.io/api/event",
				`{"domain":"shop.example.com","name":"pageview","props":{"company_id":"1002","language":"es","title":"Mariscos \u0026 Más"},` +
					`"referrer":"https://www.example.org","url":"https://store1002.example.com/home/orders/id"}`, url.Values{},
			},
		} {
			in := look("Uno")
			in.ViewCount, in.Agreed = tool.entered, tool.entered
			c = p.publish(in)
			if c.ViewCountURL != tool.entered {
				t.Errorf("%s is stored as %s", tool.entered, c.ViewCountURL)
			}
			sent := p.ReportOf(c, viewed)
			to, err := url.Parse(sent.URL)
			noError(t, err)
			query := to.Query()
			to.RawQuery = ""
			if to.String() != tool.to || sent.Body != tool.body || query.Encode() != tool.query.Encode() {
				t.Errorf("%s sends\n%s\n%s %s", tool.entered, sent.URL, tool.to, sent.Body)
			}
			if sent.Origin != "https://"+to.Host {
				t.Errorf("%s: %s", tool.entered, sent.Origin)
			}
		}
	})
}

// googleView is viewed as Google Analytics gets it.
var googleView = url.Values{
	"v": {"2"}, "tid": {"G-ABC123DEF4"}, "cid": {"1.1"}, "en": {"page_view"}, "npa": {"1"}, "ul": {"es"},
	"epn.company_id": {"1002"},
	"dl":             {"https://store1002.example.com/home/orders/id"}, "dt": {"Mariscos & Más"}, "dr": {"https://www.example.org"},
}

func TestAnAddressLikeOneOfAToolIsRefused(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		p.restart(func(o *portal.Options) { o.Counters = toolHosts })
		const id = "0123456789abcdef0123456789abcdef"
		for address, want := range map[string]portal.Problem{
			"https://hm.baidu.com/hm.js":                                                portal.CounterMalformed,
			"https://hm.baidu.com/hm.js?" + id[1:]:                                      portal.CounterMalformed,
			"https://hm.baidu.com/hm.js?" + id + "&x=1":                                 portal.CounterMalformed,
			"https://hm.baidu.com/hm.js?" + strings.ToUpper(id):                         portal.CounterMalformed,
			"https://hm.baidu.com/hm.js?" + id + "#":                                    portal.CounterMalformed,
			"https://hm.baidu.com/hm.js?" + id + "\n":                                   "",
			"https://hm.baidu.com/hm.js?" + id + "\nx":                                  portal.CounterMalformed,
			"https://hm.baidu.com//hm.js?" + id:                                         portal.CounterMalformed,
			"https://hm.baidu.com:443/hm.js?" + id:                                      portal.CounterUnlisted,
			"https://evil.test/hm.js?" + id:                                             portal.CounterUnlisted,
			"https://hm.baidu.com@evil.test/hm.js?" + id:                                portal.CounterUnlisted,
			"https://user:word@hm.baidu.com/hm.js?" + id:                                portal.CounterUnlisted,
			"https://hm.baidu.com.evil.test/hm.js?" + id:                                portal.CounterUnlisted,
			"https://xn--hm-baidu.com/hm.js?" + id:                                      portal.CounterUnlisted,
			"https://hm.bаidu.com/hm.js?" + id:                                          portal.CounterUnlisted,
			"http://hm.baidu.com/hm.js?" + id:                                           portal.CounterMalformed,
			"//hm.baidu.com/hm.js?" + id:                                                portal.CounterMalformed,
			"https://127.0.0.1/matomo.php?idsite=1":                                     portal.CounterUnlisted,
			"https://192.168.1.5/matomo.php?idsite=1":                                   portal.CounterUnlisted,
			"https://[::1]/matomo.php?idsite=1":                                         portal.CounterUnlisted,
			"https://matomo.example.com/matomo.php":                                     portal.CounterMalformed,
			"https://matomo.example.com/matomo.php?idsite=0":                            portal.CounterMalformed,
			"https://matomo.example.com/matomo.php?idsite=1&token_auth=x":               portal.CounterMalformed,
			"https://matomo.example.com/matomo.php?idsite=1;x":                          portal.CounterMalformed,
			"https://matomo.example.com/../matomo.php?idsite=1":                         portal.CounterMalformed,
			"https://matomo.example.com/%2e%2e/matomo.php?idsite=1":                     portal.CounterMalformed,
			"https://matomo.example.com/a b/matomo.php?idsite=1":                        portal.CounterMalformed,
			"https://matomo.example.com/notmatomo.php?idsite=1":                         portal.CounterMalformed,
			"https://plausible.io/api/event":                                            portal.CounterMalformed,
			"https://plausible.io/api/event?domain=":                                    portal.CounterMalformed,
			"https://plausible.io/api/event?domain=a.example&domain=b.example":          portal.CounterMalformed,
			"https://plausible.io/api/event?domain=%22%7d":                              portal.CounterMalformed,
			"https://plausible.io/js/script.js":                                         portal.CounterMalformed,
			"https://www.googletagmanager.com/gtag/js":                                  portal.CounterMalformed,
			"https://www.googletagmanager.com/gtag/js?id=UA-1234-1":                     portal.CounterMalformed,
			"https://www.googletagmanager.com/gtag/js?id=G-ABC123DEF4&l=x":              portal.CounterMalformed,
			"https://www.googletagmanager.com/other":                                    portal.CounterUnlisted,
			"https://www.google-analytics.com/g/collect?tid=G-ABC123DEF4&cid=1.2":       portal.CounterMalformed,
			"https://matomo.example.com/matomo.php?idsite=1" + strings.Repeat("0", 200): portal.CounterMalformed,
		} {
			in := look("Uno")
			in.ViewCount = address
			if _, problem := problemOf(p.CheckAppearance(&in)); problem != want {
				t.Errorf("%q: %q, want %q", address, problem, want)
			}
		}
	})
}

// problemOf is what a check says about the statistics.
func problemOf(err error) (bool, portal.Problem) {
	with := new(portal.Refused)
	if errors.As(err, &with) {
		return true, with.Fields["view_count"]
	}
	return false, ""
}

func TestAnAdministratorMustSeeTheRequestBeforeStatisticsAreOn(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		p.restart(func(o *portal.Options) { o.Counters = toolHosts })
		const site = "https://matomo.example.com/matomo.php?idsite="
		const one, other = site + "1", site + "2"
		in := look("Uno")
		for _, agreed := range []string{"", other, "1"} {
			in.ViewCount, in.Agreed = one, agreed
			with := refused(t, p.SetAppearance(t.Context(), p.office("sur"), in), portal.ValidationFailed)
			if with.Fields["view_count"] != portal.CounterUnseen || p.company(1002).ViewCountURL != "" {
				t.Errorf("agreed to %q: %v", agreed, with.Fields)
			}
		}
		in.Agreed = one
		p.publish(in)
		in.Name, in.Agreed = "Dos", ""
		if c := p.publish(in); c.ViewCountURL != one || c.Name != "Dos" {
			t.Errorf("what is on already needs no agreement: %+v", c)
		}
		in.ViewCount, in.Agreed = other, one
		refused(t, p.SetAppearance(t.Context(), p.office("sur"), in), portal.ValidationFailed)
		in.ViewCount, in.Agreed = "", ""
		if c := p.publish(in); c.ViewCountURL != "" {
			t.Errorf("switched off: %+v", c)
		}
	})
}

func TestWhatIsTypedOfALookIsKeptForOneselfUntilItIsPublished(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		in := look("Borrador")
		in.Style = ".foot{display:none" // as it is, right or wrong
		noError(t, p.KeepLook(t.Context(), p.office("sur"), in))
		if got, ok, err := p.KeptDraft(t.Context(), p.office("sur")); err != nil || !ok || got != in {
			t.Errorf("%+v %t %v", got, ok, err)
		}
		if _, ok, err := p.KeptDraft(t.Context(), p.office("jinsui")); ok || err != nil {
			t.Errorf("another company has it: %v", err)
		}
		if p.company(1002).Name == "Borrador" {
			t.Error("it is published")
		}
		token, err := p.LookToken(p.office("sur"))
		noError(t, err)
		shown, err := p.PreviewLook(t.Context(), p.office("sur"), token)
		if err != nil || shown.Company.Name != "Borrador" || shown.Style != "" {
			t.Errorf("%+v %v", shown, err)
		}
		in.Style = ".button{color:red}"
		if in.Icon, err = p.StoreIcon(p.from(homeAddress), p.office("sur"), bytes.NewReader(picturetest.PNG(60, 60))); err != nil {
			t.Fatal(err)
		}
		noError(t, p.KeepLook(t.Context(), p.office("sur"), in))
		shown, err = p.PreviewLook(t.Context(), p.office("sur"), token)
		if err != nil || !strings.Contains(shown.Style, "color:red") || shown.Icon == nil || p.company(1002).IconURL != "" {
			t.Errorf("%+v %v", shown, err)
		}
		for who, want := range map[string]portal.Refusal{"jinsui": portal.NotFound, "li.manager": portal.Forbidden, "buyer1": portal.NotFound} {
			_, err := p.PreviewLook(t.Context(), p.office(who), token)
			refused(t, err, want)
		}
		p.clock.advance(portal.LookShown + time.Second)
		_, err = p.PreviewLook(t.Context(), p.office("sur"), token)
		refused(t, err, portal.NotFound)
		if c := p.publish(in); c.IconURL != in.Icon {
			t.Errorf("%+v", c)
		}
		if _, ok, err := p.KeptDraft(t.Context(), p.office("sur")); ok || err != nil {
			t.Errorf("it is still kept: %v", err)
		}
		noError(t, p.KeepLook(t.Context(), p.office("sur"), in))
		p.clock.advance(portal.LookDraftKept + time.Second)
		if _, ok, _ := p.KeptDraft(t.Context(), p.office("sur")); ok {
			t.Error("it is kept for ever")
		}
		noError(t, p.Sweep(t.Context()))
		if strings.Contains(p.rows(), "look_drafts ") {
			t.Error("the janitor leaves it")
		}
	})
}

func TestAnIconThatWasAbandonedIsAskedForAgain(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		in := look("Uno")
		in.Icon = "/icon/none.png"
		field(t, p.SetAppearance(t.Context(), p.office("sur"), in), "icon", portal.FieldRequired)
		foreign, err := p.StoreIcon(p.from(homeAddress), p.office("jinsui"), bytes.NewReader(picturetest.PNG(60, 60)))
		noError(t, err)
		in.Icon = foreign
		field(t, p.SetAppearance(t.Context(), p.office("sur"), in), "icon", portal.FieldRequired)
	})
}

func TestUndoingBringsBackTheIcon(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		noError(t, p.SetIcon(p.from(homeAddress), p.office("sur"), bytes.NewReader(picturetest.PNG(60, 60))))
		icon := p.company(1002).IconURL
		noError(t, p.RemoveIcon(t.Context(), p.office("sur")))
		p.clock.advance(2 * portal.AbandonedAfter)
		noError(t, p.Sweep(t.Context()))
		noError(t, p.UndoAppearance(t.Context(), p.office("sur"), p.mark()))
		if p.company(1002).IconURL != icon {
			t.Error(p.company(1002).IconURL)
		}
		_, err := p.Icon(t.Context(), strings.TrimPrefix(icon, "/icon/"))
		noError(t, err)
	})
}
