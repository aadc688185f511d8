package core

import (
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"portico/portal/access"
	"portico/store"
)

// maxViewCount is the longest address of a company's statistics, in bytes.
const maxViewCount = 200

// PageView is what a company's statistics learn about one view of a page. It says nothing about the person.
type PageView struct {
	Page     string // the page's fixed name, like "login" or "failed-404"
	Origin   string // of the site that shows the page
	Path     string // the page's route, with "id" in place of a number: "/home/orders/id"
	Title    string
	Language string // "zh", "es" or "en"
	Referrer string // origin of the site that led here, "" for the platform itself or nothing
}

func (v PageView) address() string { return v.Origin + v.Path }

// ViewReport is the request by which a browser reports a page view. With a Body it is a POST that needs a script, else
// a picture.
type ViewReport struct {
	URL    string // "" when nothing is reported
	Body   string
	Origin string // scheme and host of URL, for the page's Content-Security-Policy
}

// counter is a parsed address of a company's statistics.
type counter struct {
	address string // normalised
	host    string // gets the reports
	report  func(c counter, companyID int64, v PageView) (path, body string)
	path    string // of the tool at its host, without a slash before it
	site    string // the tool's name for the company's site, "" for the plain form
}

// counterForm is a form in which a tool gives its address. Host and path are compared whole, or from the end where the
// tool can be at any host.
type counterForm struct {
	host, path string // host "" is any host
	query      *regexp.Regexp
	to, at     string // where reports go, "" for the host and path of the address
	report     func(c counter, companyID int64, v PageView) (path, body string)
}

// counterForms are the addresses of the known tools, as their own instructions show them.
var counterForms = []counterForm{
	{host: "hm.baidu.com", path: "hm.js", query: regexp.MustCompile(`^([0-9a-f]{32})$`), at: "hm.gif",
		report: reportToBaidu},
	{
		host: "www.googletagmanager.com", path: "gtag/js", query: regexp.MustCompile(`^id=(G-[A-Z0-9]{4,20})$`),
		to: "www.google-analytics.com", at: "g/collect", report: reportToGoogle,
	},
	{
		host: "www.google-analytics.com", path: "g/collect",
		query: regexp.MustCompile(`^(?:tid|measurement_id)=(G-[A-Z0-9]{4,20})$`), report: reportToGoogle,
	},
	{path: "matomo.php", query: regexp.MustCompile(`^idsite=([1-9][0-9]{0,8})$`), report: reportToMatomo},
	{path: "piwik.php", query: regexp.MustCompile(`^idsite=([1-9][0-9]{0,8})$`), report: reportToMatomo},
	{path: "api/event", query: regexp.MustCompile(`^domain=([a-z0-9][a-z0-9.-]{0,98}[a-z0-9])$`),
		report: reportToPlausible},
}

// has says whether an address of host and path has this form.
func (f counterForm) has(host, path string) bool {
	if f.host != "" {
		return host == f.host && path == f.path
	}
	return path == f.path || strings.HasSuffix(path, "/"+f.path)
}

// counterOf reads the address of a company's statistics: https, the form of a known tool, or a plain path without a
// query, at a host that the operator listed. For "" it returns an empty counter.
func (s *Statistics) counterOf(typed string) (counter, access.Problem) {
	address := strings.TrimSpace(typed)
	if !strings.Contains(address, "?") {
		address = strings.TrimRight(address, "/")
	}
	if address == "" {
		return counter{}, ""
	}
	rest, secure := strings.CutPrefix(address, "https://")
	rest, query, asked := strings.Cut(rest, "?")
	host, path, _ := strings.Cut(rest, "/")
	if !secure || len(address) > maxViewCount {
		return counter{}, access.CounterMalformed
	}
	c := counter{address: address, host: host, path: path, report: reportPlainly}
	for _, form := range counterForms {
		if !form.has(c.host, c.path) {
			continue
		}
		found := form.query.FindStringSubmatch(query)
		if found == nil {
			return counter{}, access.CounterMalformed
		}
		c.site = found[1]
		c.report = form.report
		asked = false
		if form.at != "" {
			c.path = form.at
		}
		if form.to != "" {
			c.host = form.to
		}
		break
	}
	if !slices.Contains(s.counters, c.host) {
		return counter{}, access.CounterUnlisted
	}
	if asked || c.path != "" && !plainPath(c.path) || c.site == "" && strings.HasSuffix(c.path, ".js") {
		return counter{}, access.CounterMalformed
	}
	return c, ""
}

// plainPath says whether a path has nothing in it that a browser or a server could read in two ways.
func plainPath(path string) bool {
	for part := range strings.SplitSeq(path, "/") {
		if strings.Trim(part, ".") == "" ||
			strings.Trim(part, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") != "" {
			return false
		}
	}
	return true
}

// ViewCount returns the normalised address of a company's statistics.
func (s *Statistics) ViewCount(typed string) (string, access.Problem) {
	c, problem := s.counterOf(typed)
	if problem != "" {
		return typed, problem
	}
	return c.address, ""
}

// Counters are the hosts that statistics may be at, as the operator lists them.
func (s *Statistics) Counters() []string { return s.counters }

// ReportOf returns the request that reports a page view to a company's statistics. It is empty where the company has
// none, or where the operator has taken its host off the list.
func (s *Statistics) ReportOf(company store.Company, v PageView) ViewReport {
	c, problem := s.counterOf(company.ViewCountURL)
	if c.address == "" || problem != "" {
		return ViewReport{}
	}
	path, body := c.report(c, company.ID, v)
	origin := "https://" + c.host
	return ViewReport{URL: origin + "/" + strings.TrimPrefix(path, "/"), Body: body, Origin: origin}
}

// reportPlainly adds the company and the page to the address.
func reportPlainly(c counter, companyID int64, v PageView) (path, body string) {
	return c.path + "/" + access.Decimal(companyID) + "/" + v.Page, ""
}

// reportToMatomo follows Matomo's Tracking HTTP API.
func reportToMatomo(c counter, _ int64, v PageView) (path, body string) {
	return c.withQuery(url.Values{
		"idsite": {c.site}, "rec": {"1"}, "apiv": {"1"}, "action_name": {v.Title}, "url": {v.address()},
		"urlref": {v.Referrer},
		"lang":   {v.Language},
	}), ""
}

// reportToBaidu follows the picture that Baidu Tongji gives to pages without scripts.
func reportToBaidu(c counter, _ int64, v PageView) (path, body string) {
	return c.withQuery(url.Values{
		"si": {c.site}, "et": {"0"}, "v": {"wap-0-0.2"}, "u": {v.address()}, "tt": {v.Title}, "su": {v.Referrer},
		"ln": {v.Language},
	}), ""
}

// googleClient is the client id of every visitor: Google accepts no view without one.
const googleClient = "1.1"

// reportToGoogle sends the page_view event of Google Analytics 4 as its tag does, and asks for no personal
// advertisements.
func reportToGoogle(c counter, companyID int64, v PageView) (path, body string) {
	return c.withQuery(url.Values{
		"v": {"2"}, "tid": {c.site}, "cid": {googleClient}, "en": {"page_view"}, "npa": {"1"}, "dl": {v.address()},
		"dt": {v.Title},
		"dr": {v.Referrer}, "ul": {v.Language}, "epn.company_id": {access.Decimal(companyID)},
	}), ""
}

// reportToPlausible follows Plausible's events API, which takes only POST.
func reportToPlausible(c counter, companyID int64, v PageView) (path, body string) {
	event, _ := json.Marshal(map[string]any{ // a map of texts always marshals
		"name": "pageview", "domain": c.site, "url": v.address(), "referrer": v.Referrer,
		"props": map[string]string{"title": v.Title, "language": v.Language, "company_id": access.Decimal(companyID)},
	})
	return c.path, string(event)
}

// withQuery returns the tool's path with the parameters that have a value.
func (c counter) withQuery(values url.Values) string {
	for name := range values {
		if values.Get(name) == "" {
			values.Del(name)
		}
	}
	return c.path + "?" + values.Encode()
}
