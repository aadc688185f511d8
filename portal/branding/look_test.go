package branding_test

import (
	"bytes"
	"errors"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"portico/portal"
	"portico/portal/access"
	"portico/portal/branding"
	"portico/portal/core"
	"portico/portal/office"
	"portico/portal/pictures"
	"portico/portal/picturetest"
	"portico/portal/portaltest"
	"portico/portal/portaltest/companytest"
	"portico/portal/stylesheet"
)

func TestUndoingALookTwiceRestoresIt(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		before := p.Company(1002)
		if _, ok, err := p.Branding.LookBefore(t.Context(), p.Office("sur")); ok || err != nil {
			t.Fatalf("there is something to undo: %v", err)
		}
		first := companytest.PublishLook(p, companytest.Look("Uno"))
		if first.Name != "Uno" || first.ShopSkin != "d9480f" || !strings.HasPrefix(first.LoginStyleURL, "/style/") {
			t.Fatalf("%+v", first)
		}
		mark := companytest.UndoMark(p)
		p.Restart()
		portaltest.NoError(t, p.Branding.UndoAppearance(t.Context(), p.Office("sur"), mark))
		undone := p.Company(1002)
		if undone.Name != before.Name || undone.Theme != before.Theme || undone.ShopSkin != "" ||
			undone.LoginStyleURL != "" || undone.UpdatedAt <= first.UpdatedAt {
			t.Errorf("%+v", undone)
		}
		portaltest.NoError(t, p.Branding.UndoAppearance(t.Context(), p.Office("sur"), mark)) // the same press again
		if p.Company(1002) != undone || p.CountEvents(1002, "appearance_undone") != 1 {
			t.Error("pressing twice undoes twice")
		}
		portaltest.NoError(t, p.Branding.UndoAppearance(t.Context(), p.Office("sur"), companytest.UndoMark(p)))
		if again := p.Company(1002); again.Name != "Uno" || again.LoginStyleURL != first.LoginStyleURL {
			t.Errorf("%+v", again)
		}
		portaltest.WantField(
			t, p.Branding.UndoAppearance(t.Context(), p.Office("sur"), mark), "undo", access.LookUndone,
		)
		if in, err := p.Branding.AppearanceOf(t.Context(), p.Office("sur")); err != nil ||
			in.Style != companytest.Look("").Style {
			t.Errorf("%+v %v", in, err)
		}
	})
}

func TestTheSecondOfTwoAdministratorsLearnsThatTheFirstPublished(t *testing.T) {
	portaltest.EachCondition(t, func(t *testing.T, p *portaltest.Platform) {
		seen, err := p.Branding.AppearanceOf(t.Context(), p.Office("sur"))
		portaltest.NoError(t, err)
		mine, theirs := companytest.Look("Mío"), companytest.Look("Suyo")
		mine.Seen, theirs.Seen = seen.Seen, seen.Seen
		companytest.PublishLook(p, mine)
		portaltest.WantField(
			t, p.Branding.SetAppearance(t.Context(), p.Office("sur"), theirs), "seen", access.LookChanged,
		)
		if p.Company(1002).Name != "Mío" {
			t.Error("the first is lost")
		}
		now, err := p.Branding.AppearanceOf(t.Context(), p.Office("sur"))
		portaltest.NoError(t, err)
		theirs.Seen = now.Seen
		companytest.PublishLook(p, theirs)
		mark := companytest.UndoMark(p)
		var wait sync.WaitGroup
		done := make([]error, 4)
		for i := range done {
			wait.Go(func() { done[i] = p.Branding.UndoAppearance(t.Context(), p.Office("sur"), mark) })
		}
		wait.Wait()
		for _, err := range done {
			portaltest.NoError(t, err)
		}
		if n := p.CountEvents(1002, "appearance_undone"); n != 1 || p.Company(1002).Name != "Mío" {
			t.Errorf("undone %d times: %s", n, p.Company(1002).Name)
		}
	})
}

func TestALookThatTheOperatorChangedCanBeUndone(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		p.Restart(func(o *portal.Options) { o.Counters = []string{"count.example.com"} })
		before := p.Company(1002)
		for name, value := range map[string]string{
			"shop_skin": "ABCDEF", "style": ".lead{color:red}", "view_count": "https://count.example.com/p/",
			"theme": "000000",
		} {
			portaltest.NoError(t, p.Operator.SetCompany(t.Context(), 1002, name, value))
		}
		c := p.Company(1002)
		if c.ShopSkin != "abcdef" || c.ViewCountURL != "https://count.example.com/p" || branding.LoginStyle(c) == "" {
			t.Errorf("%+v", c)
		}
		portaltest.NoError(t, p.Operator.SetCompany(t.Context(), 1002, "mall", "open"))
		for name, value := range map[string]string{
			"shop_skin": "red", "style": ".lead{\ndisplay:none}", "view_count": "http://count.example.com",
		} {
			if err := p.Operator.SetCompany(t.Context(), 1002, name, value); !errors.Is(err, office.ErrSetting) ||
				name == "style" && !strings.Contains(err.Error(), "line 2") {
				t.Errorf("%s: %v", name, err)
			}
		}
		companytest.PublishLook(p, branding.AppearanceInput{Name: before.Name, Language: before.Language})
		portaltest.NoError(t, p.Branding.UndoAppearance(t.Context(), p.Office("sur"), companytest.UndoMark(p)))
		if back := p.Company(1002); back.ShopSkin != c.ShopSkin || back.ViewCountURL != c.ViewCountURL ||
			back.LoginStyleURL != c.LoginStyleURL || back.Theme != "000000" {
			t.Errorf("%+v", back)
		}
		portaltest.NoError(t, p.Operator.SetCompany(t.Context(), 1002, "style", ""))
		if branding.LoginStyle(p.Company(1002)) != "" {
			t.Error("the sheet is still there")
		}
	})
}

func TestAStyleSheetIsServedFilteredAndOnlyOnTheCompanysHosts(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		name := strings.TrimPrefix(companytest.PublishLook(p, companytest.Look("Uno")).LoginStyleURL, "/style/")
		for host, found := range map[string]bool{
			"store1002.portico.test": true, "mgr.portico.test": true, portaltest.AccountHost: true,
			"store1001.portico.test": false, "jinsui.test": false,
		} {
			css, err := p.Branding.Style(t.Context(), p.Place(host), name)
			if found && (err != nil || !strings.Contains(css, "{color:#fff;}") || !strings.HasSuffix(
				css, branding.ServedStyle(""),
			)) {
				t.Errorf("%s: %q %v", host, css, err)
			} else if !found && !errors.Is(err, access.NotFound) {
				t.Errorf("%s: %v", host, err)
			}
		}
		for _, none := range []string{
			"", "x.css", name + ".css", "../" + name, strings.TrimSuffix(name, ".css"), "\x00.css", "\xff.css",
			"a\x00" + name,
		} {
			if _, err := p.Branding.Style(
				t.Context(), p.Place(portaltest.AccountHost), none,
			); !errors.Is(err, access.NotFound) {
				t.Errorf("%q: %v", none, err)
			}
			if _, err := p.Branding.Icon(
				t.Context(), strings.ReplaceAll(none, ".css", ".png"),
			); !errors.Is(err, access.NotFound) {
				t.Errorf("icon %q: %v", none, err)
			}
		}
		portaltest.NoError(t, p.DB.Looks.KeepStyle(t.Context(), 1002, "planted", "body{background:url(//evil.test)}",
			1))
		if css, err := p.Branding.Style(t.Context(), p.Place(portaltest.AccountHost), "planted.css"); err != nil ||
			css != branding.ServedStyle("") {
			t.Errorf("what the filter refuses is served: %q %v", css, err)
		}
		companytest.PublishLook(p, branding.AppearanceInput{Name: "Dos", Language: "es"})
		companytest.PublishLook(p, branding.AppearanceInput{Name: "Tres", Language: "es"})
		if _, err := p.Branding.Style(
			t.Context(), p.Place(portaltest.AccountHost), name,
		); !errors.Is(err, access.NotFound) {
			t.Errorf("a sheet of a look that is gone is served: %v", err)
		}
	})
}

func TestARefusedStyleSheetNamesTheLineAndChangesNothing(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		before := p.Company(1002)
		in := companytest.Look("Uno")
		in.Style = ".button { color: red }\n.foot { color: red }"
		with := portaltest.Refused(
			t, p.Branding.SetAppearance(t.Context(), p.Office("sur"), in), access.ValidationFailed,
		)
		if len(with.Styles) != 1 || with.Styles[0].Line != 2 || with.Styles[0].Why != stylesheet.StyleProtected ||
			with.Fields["style"] != access.StyleRefused {
			t.Errorf("%+v", with)
		}
		in.Style = strings.Repeat("a", 20<<10+1)
		if with := portaltest.Refused(
			t, p.Branding.SetAppearance(t.Context(), p.Office("sur"), in), access.ValidationFailed,
		); with.Styles[0].Why != stylesheet.StyleTooLong {
			t.Errorf("%+v", with.Styles)
		}
		if p.Company(1002) != before {
			t.Error("something changed")
		}
	})
}

func TestStatisticsToolsAreAllowedOnlyAtListedHosts(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		listed := func(o *portal.Options) { o.Counters = []string{"count.example.com", "stats.example.org"} }
		p.Restart(listed)
		in := companytest.Look("Uno")
		for _, c := range []struct {
			address string
			want    access.Problem
		}{
			{"http://count.example.com/p", access.CounterMalformed}, {"//count.example.com/p", access.CounterMalformed},
			{"count.example.com", access.CounterMalformed},
			{"javascript:alert(1)", access.CounterMalformed}, {"data:text/javascript,1", access.CounterMalformed},
			{"HTTPS://count.example.com", access.CounterMalformed},
			{"https://count.example.com/p?x=1", access.CounterMalformed},
			{"https://count.example.com/p#x", access.CounterMalformed},
			{"https://count.example.com/../x", access.CounterMalformed},
			{"https://count.example.com//x", access.CounterMalformed},
			{"https://count.example.com/a b", access.CounterMalformed},
			{"https://count.example.com/%2e", access.CounterMalformed},
			{"https://count.example.com/x;y", access.CounterMalformed},
			{`https://count.example.com/"x`, access.CounterMalformed},
			{"https://count.example.com/\\x", access.CounterMalformed},
			{"https://count.example.com/" + strings.Repeat("a", 200), access.CounterMalformed},
			{"https://evil.test/p", access.CounterUnlisted},
			{"https://count.example.com.evil.test/p", access.CounterUnlisted},
			{"https://x@count.example.com/p", access.CounterUnlisted},
			{"https://count.example.com:8443/p", access.CounterUnlisted},
			{"https://count.example.com@evil.test", access.CounterUnlisted},
			{"https://COUNT.example.com/p", access.CounterUnlisted},
			{"https://count.example.com;evil/p", access.CounterUnlisted}, {"https://", access.CounterMalformed},
			{"https:///p", access.CounterUnlisted}, {"https://*/p", access.CounterUnlisted},
		} {
			in.ViewCount = c.address
			if with := portaltest.Refused(
				t, p.Branding.SetAppearance(t.Context(), p.Office("sur"), in), access.ValidationFailed,
			); with.Fields["view_count"] != c.want {
				t.Errorf("%s: %v", c.address, with.Fields)
			}
		}
		in.ViewCount, in.Agreed = " https://count.example.com/in/p_1/ ", "https://count.example.com/in/p_1"
		c := companytest.PublishLook(p, in)
		agreement := core.PageView{Page: "agreement"}
		if sent := p.Statistics.ReportOf(c,
			agreement); sent != (core.ViewReport{URL: "https://count.example.com/in/p_1/1002/agreement",
			Origin: "https://count.example.com"}) {
			t.Errorf("%+v", sent)
		}
		if shown, err := p.Branding.CompanyByID(t.Context(), 1002); err != nil ||
			shown.ViewCountURL != "https://count.example.com/in/p_1" {
			t.Errorf("%+v %v", shown, err)
		}
		p.Restart(func(o *portal.Options) { o.Counters = nil })
		if sent := p.Statistics.ReportOf(c, agreement); sent != (core.ViewReport{}) {
			t.Errorf("a host that is listed no more: %+v", sent)
		}
		if shown, err := p.Branding.CompanyByID(t.Context(), 1002); err != nil || shown.ViewCountURL != "" {
			t.Errorf("%+v %v", shown, err)
		}
	})
}

// ToolHosts are the hosts of the known tools, as an operator would list them.
var ToolHosts = []string{"hm.baidu.com", "www.google-analytics.com", "matomo.example.com", "plausible.io"}

// ExampleView is a page view whose every field has characters that a URL must encode.
var ExampleView = core.PageView{
	Page: "shop-order", Origin: "https://store1002.example.com", Path: "/home/orders/id", Title: "Mariscos & Más",
	Language: "es",
	Referrer: "https://www.example.org",
}

func TestEachStatisticsToolGetsThePageViewInItsOwnFormat(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		p.Restart(func(o *portal.Options) { o.Counters = ToolHosts })
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
				"https://www.google-analytics.com/g/collect", "", GoogleView,
			},
			{
				"https://www.google-analytics.com/g/collect?measurement_id=G-ABC123DEF4",
				"https://www.google-analytics.com/g/collect", "",
				GoogleView,
			},
			{
				"https://plausible.io/api/event?domain=shop.example.com", "https://plausible.io/api/event",
				`{"domain":"shop.example.com","name":"pageview","props":{"company_id":"1002","language":"es",` +
					`"title":"Mariscos \u0026 Más"},` +
					`"referrer":"https://www.example.org","url":"https://store1002.example.com/home/orders/id"}`,
				url.Values{},
			},
		} {
			in := companytest.Look("Uno")
			in.ViewCount, in.Agreed = tool.entered, tool.entered
			c := companytest.PublishLook(p, in)
			if c.ViewCountURL != tool.entered {
				t.Errorf("%s is stored as %s", tool.entered, c.ViewCountURL)
			}
			sent := p.Statistics.ReportOf(c, ExampleView)
			to, err := url.Parse(sent.URL)
			portaltest.NoError(t, err)
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

// GoogleView are the parameters that Google Analytics gets for ExampleView.
var GoogleView = url.Values{
	"v": {"2"}, "tid": {"G-ABC123DEF4"}, "cid": {"1.1"}, "en": {"page_view"}, "npa": {"1"}, "ul": {"es"},
	"epn.company_id": {"1002"},
	"dl":             {"https://store1002.example.com/home/orders/id"}, "dt": {"Mariscos & Más"},
	"dr": {"https://www.example.org"},
}

func TestAnAddressThatResemblesAToolsIsRefused(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		p.Restart(func(o *portal.Options) { o.Counters = ToolHosts })
		const id = "0123456789abcdef0123456789abcdef"
		for address, want := range map[string]access.Problem{
			"https://hm.baidu.com/hm.js":                                                access.CounterMalformed,
			"https://hm.baidu.com/hm.js?" + id[1:]:                                      access.CounterMalformed,
			"https://hm.baidu.com/hm.js?" + id + "&x=1":                                 access.CounterMalformed,
			"https://hm.baidu.com/hm.js?" + strings.ToUpper(id):                         access.CounterMalformed,
			"https://hm.baidu.com/hm.js?" + id + "#":                                    access.CounterMalformed,
			"https://hm.baidu.com/hm.js?" + id + "\n":                                   "",
			"https://hm.baidu.com/hm.js?" + id + "\nx":                                  access.CounterMalformed,
			"https://hm.baidu.com//hm.js?" + id:                                         access.CounterMalformed,
			"https://hm.baidu.com:443/hm.js?" + id:                                      access.CounterUnlisted,
			"https://evil.test/hm.js?" + id:                                             access.CounterUnlisted,
			"https://hm.baidu.com@evil.test/hm.js?" + id:                                access.CounterUnlisted,
			"https://user:word@hm.baidu.com/hm.js?" + id:                                access.CounterUnlisted,
			"https://hm.baidu.com.evil.test/hm.js?" + id:                                access.CounterUnlisted,
			"https://xn--hm-baidu.com/hm.js?" + id:                                      access.CounterUnlisted,
			"https://hm.bаidu.com/hm.js?" + id:                                          access.CounterUnlisted,
			"http://hm.baidu.com/hm.js?" + id:                                           access.CounterMalformed,
			"//hm.baidu.com/hm.js?" + id:                                                access.CounterMalformed,
			"https://127.0.0.1/matomo.php?idsite=1":                                     access.CounterUnlisted,
			"https://192.168.1.5/matomo.php?idsite=1":                                   access.CounterUnlisted,
			"https://[::1]/matomo.php?idsite=1":                                         access.CounterUnlisted,
			"https://matomo.example.com/matomo.php":                                     access.CounterMalformed,
			"https://matomo.example.com/matomo.php?idsite=0":                            access.CounterMalformed,
			"https://matomo.example.com/matomo.php?idsite=1&token_auth=x":               access.CounterMalformed,
			"https://matomo.example.com/matomo.php?idsite=1;x":                          access.CounterMalformed,
			"https://matomo.example.com/../matomo.php?idsite=1":                         access.CounterMalformed,
			"https://matomo.example.com/%2e%2e/matomo.php?idsite=1":                     access.CounterMalformed,
			"https://matomo.example.com/a b/matomo.php?idsite=1":                        access.CounterMalformed,
			"https://matomo.example.com/notmatomo.php?idsite=1":                         access.CounterMalformed,
			"https://plausible.io/api/event":                                            access.CounterMalformed,
			"https://plausible.io/api/event?domain=":                                    access.CounterMalformed,
			"https://plausible.io/api/event?domain=a.example&domain=b.example":          access.CounterMalformed,
			"https://plausible.io/api/event?domain=%22%7d":                              access.CounterMalformed,
			"https://plausible.io/js/script.js":                                         access.CounterMalformed,
			"https://www.googletagmanager.com/gtag/js":                                  access.CounterMalformed,
			"https://www.googletagmanager.com/gtag/js?id=UA-1234-1":                     access.CounterMalformed,
			"https://www.googletagmanager.com/gtag/js?id=G-ABC123DEF4&l=x":              access.CounterMalformed,
			"https://www.googletagmanager.com/other":                                    access.CounterUnlisted,
			"https://www.google-analytics.com/g/collect?tid=G-ABC123DEF4&cid=1.2":       access.CounterMalformed,
			"https://matomo.example.com/matomo.php?idsite=1" + strings.Repeat("0", 200): access.CounterMalformed,
		} {
			in := companytest.Look("Uno")
			in.ViewCount = address
			if _, problem := StatisticsProblem(p.Branding.CheckAppearance(&in)); problem != want {
				t.Errorf("%q: %q, want %q", address, problem, want)
			}
		}
	})
}

// StatisticsProblem says whether err is a refusal, and returns the problem of its field view_count.
func StatisticsProblem(err error) (bool, access.Problem) {
	with := new(access.Refused)
	if errors.As(err, &with) {
		return true, with.Fields["view_count"]
	}
	return false, ""
}

func TestAnAdministratorMustSeeTheRequestBeforeStatisticsAreOn(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		p.Restart(func(o *portal.Options) { o.Counters = ToolHosts })
		const site = "https://matomo.example.com/matomo.php?idsite="
		const one, other = site + "1", site + "2"
		in := companytest.Look("Uno")
		for _, agreed := range []string{"", other, "1"} {
			in.ViewCount, in.Agreed = one, agreed
			with := portaltest.Refused(
				t, p.Branding.SetAppearance(t.Context(), p.Office("sur"), in), access.ValidationFailed,
			)
			if with.Fields["view_count"] != access.CounterUnseen || p.Company(1002).ViewCountURL != "" {
				t.Errorf("agreed to %q: %v", agreed, with.Fields)
			}
		}
		in.Agreed = one
		companytest.PublishLook(p, in)
		in.Name, in.Agreed = "Dos", ""
		if c := companytest.PublishLook(p, in); c.ViewCountURL != one || c.Name != "Dos" {
			t.Errorf("what is on already needs no agreement: %+v", c)
		}
		in.ViewCount, in.Agreed = other, one
		portaltest.Refused(t, p.Branding.SetAppearance(t.Context(), p.Office("sur"), in), access.ValidationFailed)
		in.ViewCount, in.Agreed = "", ""
		if c := companytest.PublishLook(p, in); c.ViewCountURL != "" {
			t.Errorf("switched off: %+v", c)
		}
	})
}

func TestADraftOfALookIsKeptForItsAuthorUntilItIsPublished(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		in := companytest.Look("Borrador")
		in.Style = ".foot{display:none" // as it is, right or wrong
		portaltest.NoError(t, p.Branding.KeepLook(t.Context(), p.Office("sur"), in))
		if got, ok, err := p.Branding.KeptDraft(t.Context(), p.Office("sur")); err != nil || !ok || got != in {
			t.Errorf("%+v %t %v", got, ok, err)
		}
		if _, ok, err := p.Branding.KeptDraft(t.Context(), p.Office("jinsui")); ok || err != nil {
			t.Errorf("another company has it: %v", err)
		}
		if p.Company(1002).Name == "Borrador" {
			t.Error("it is published")
		}
		token, err := p.Branding.LookToken(p.Office("sur"))
		portaltest.NoError(t, err)
		shown, err := p.Branding.PreviewLook(t.Context(), p.Office("sur"), token)
		if err != nil || shown.Company.Name != "Borrador" || shown.Style != "" {
			t.Errorf("%+v %v", shown, err)
		}
		in.Style = ".button{color:red}"
		if in.Icon, err = p.Branding.StoreIcon(
			p.From(portaltest.HomeAddress), p.Office("sur"), bytes.NewReader(picturetest.PNG(60, 60)),
		); err != nil {
			t.Fatal(err)
		}
		portaltest.NoError(t, p.Branding.KeepLook(t.Context(), p.Office("sur"), in))
		shown, err = p.Branding.PreviewLook(t.Context(), p.Office("sur"), token)
		if err != nil || !strings.Contains(shown.Style, "color:red") || shown.Icon == nil ||
			p.Company(1002).IconURL != "" {
			t.Errorf("%+v %v", shown, err)
		}
		for who, want := range map[string]access.Refusal{
			"jinsui": access.NotFound, "li.manager": access.Forbidden, "buyer1": access.NotFound,
		} {
			_, err := p.Branding.PreviewLook(t.Context(), p.Office(who), token)
			portaltest.Refused(t, err, want)
		}
		p.Clock.Advance(10*time.Minute - time.Millisecond)
		_, err = p.Branding.PreviewLook(t.Context(), p.Office("sur"), token)
		portaltest.NoError(t, err)
		p.Clock.Advance(time.Millisecond)
		_, err = p.Branding.PreviewLook(t.Context(), p.Office("sur"), token)
		portaltest.Refused(t, err, access.NotFound)
		if c := companytest.PublishLook(p, in); c.IconURL != in.Icon {
			t.Errorf("%+v", c)
		}
		if _, ok, err := p.Branding.KeptDraft(t.Context(), p.Office("sur")); ok || err != nil {
			t.Errorf("it is still kept: %v", err)
		}
		portaltest.NoError(t, p.Branding.KeepLook(t.Context(), p.Office("sur"), in))
		p.Clock.Advance(24*time.Hour - time.Millisecond)
		portaltest.NoError(t, p.Sweep(t.Context()))
		if _, ok, err := p.Branding.KeptDraft(t.Context(), p.Office("sur")); !ok || err != nil {
			t.Errorf("it is not kept for a day: %v", err)
		}
		p.Clock.Advance(time.Millisecond)
		if _, ok, _ := p.Branding.KeptDraft(t.Context(), p.Office("sur")); ok {
			t.Error("it is kept for ever")
		}
		p.Clock.Advance(time.Second)
		portaltest.NoError(t, p.Sweep(t.Context()))
		if strings.Contains(p.DumpRows(), "look_drafts ") {
			t.Error("the janitor leaves it")
		}
	})
}

func TestAStyleSheetOfSixtyKiBIsKeptInADraft(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		for _, length := range []int{61_440, 61_441} { // longer than what can be published, to be shortened later
			in := companytest.Look("Borrador")
			in.Style = strings.Repeat("a", length)
			portaltest.NoError(t, p.Branding.KeepLook(t.Context(), p.Office("sur"), in))
			got, _, err := p.Branding.KeptDraft(t.Context(), p.Office("sur"))
			if err != nil || got.Style != strings.Repeat("a", 61_440) {
				t.Errorf("of %d bytes %d are kept, %v", length, len(got.Style), err)
			}
		}
	})
}

func TestAnAbandonedIconMustBeUploadedAgain(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		in := companytest.Look("Uno")
		in.Icon = "/icon/none.png"
		portaltest.WantField(
			t, p.Branding.SetAppearance(t.Context(), p.Office("sur"), in), "icon", access.FieldRequired,
		)
		foreign, err := p.Branding.StoreIcon(
			p.From(portaltest.HomeAddress), p.Office("jinsui"), bytes.NewReader(picturetest.PNG(60, 60)),
		)
		portaltest.NoError(t, err)
		in.Icon = foreign
		portaltest.WantField(
			t, p.Branding.SetAppearance(t.Context(), p.Office("sur"), in), "icon", access.FieldRequired,
		)
	})
}

func TestUndoingBringsBackTheIcon(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		portaltest.NoError(
			t,
			p.Branding.SetIcon(
				p.From(portaltest.HomeAddress), p.Office("sur"), bytes.NewReader(picturetest.PNG(60, 60)),
			),
		)
		icon := p.Company(1002).IconURL
		portaltest.NoError(t, p.Branding.RemoveIcon(t.Context(), p.Office("sur")))
		p.Clock.Advance(2 * pictures.AbandonedAfter)
		portaltest.NoError(t, p.Sweep(t.Context()))
		portaltest.NoError(t, p.Branding.UndoAppearance(t.Context(), p.Office("sur"), companytest.UndoMark(p)))
		if p.Company(1002).IconURL != icon {
			t.Error(p.Company(1002).IconURL)
		}
		_, err := p.Branding.Icon(t.Context(), strings.TrimPrefix(icon, "/icon/"))
		portaltest.NoError(t, err)
	})
}
