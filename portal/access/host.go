package access

import (
	"context"
	"errors"
	"net/netip"
	"net/url"
	"strings"

	"portico/store"
)

// Site is the part of the product that a host serves.
type Site string

// The sites.
const (
	SiteAccount    Site = "account" // account routes: the base, account., own domains, unknown hosts
	SiteStore      Site = "store"   // account routes of one company, the desktop shop and back office
	SiteMobileShop Site = "m"
	SiteMobileMgr  Site = "mgr"
	SiteAPI        Site = "api"
)

// LocateInput is the input of Locate: the Host header and, for local hosts, the company id of ?companyId= or of the
// cookie that keeps it.
type LocateInput struct {
	Host      string
	CompanyID string
}

// Locate returns the site and company of a host. For malformed and unknown hosts it returns the account site without a
// company; it does not refuse them.
func (a *Access) Locate(ctx context.Context, in LocateInput) (Place, error) {
	host, ok := NormalHost(in.Host)
	if !ok {
		return Place{Site: SiteAccount, Origin: a.Origin("")}, nil
	}
	if a.dev && IsLocal(host) {
		return a.locateLocal(ctx, host, in.CompanyID)
	}
	if host == a.baseHost {
		return Place{Site: SiteAccount, Host: host, Origin: a.Origin("")}, nil
	}
	label, under := strings.CutSuffix(host, "."+a.baseHost)
	if under && !strings.Contains(label, ".") {
		if place, known := a.locateLabel(label); known {
			place.Host, place.Origin = host, a.Origin(label)
			if place.Site == SiteStore {
				_, id := StoreLabel(label)
				return a.withCompany(
					ctx, place, func() (*store.Company, error) { return a.Companies.ByID(ctx, a.db, id, a.now()) },
				)
			}
			return place, nil
		}
	}
	place := Place{Site: SiteStore, Host: host, Origin: a.base.Scheme + "://" + host + a.Port()}
	place, err := a.withCompany(
		ctx, place, func() (*store.Company, error) { return a.Companies.byHost(ctx, a.db, host, a.now()) },
	)
	place.OwnDomain = place.Company != nil
	if place.Company == nil {
		place.Site, place.Origin = SiteAccount, a.Origin("")
	}
	return place, err
}

// PlatformHost says whether a Host header names one of the platform's own hosts: the base, or a host below it.
func (a *Access) PlatformHost(host string) bool {
	normal, ok := NormalHost(host)
	return ok && a.UnderBase(normal)
}

// OnPlatform says whether a URL has the scheme, port and a host of the platform: the base, a host below it or, in dev,
// a local name. Companies' own domains do not count.
func (a *Access) OnPlatform(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != a.base.Scheme || u.Port() != a.base.Port() {
		return false
	}
	host, ok := NormalHost(u.Host)
	return ok && (a.UnderBase(host) || a.dev && IsLocal(host))
}

// OwnOrigin says whether an Origin header names a site that this program serves: the platform's scheme and port with a
// host of the platform or an existing company's host or own domain.
func (a *Access) OwnOrigin(ctx context.Context, origin string) (bool, error) {
	host, scheme := strings.CutPrefix(origin, a.base.Scheme+"://")
	host, port := strings.CutSuffix(host, a.Port())
	normal, ok := NormalHost(host)
	if !scheme || !port || !ok || normal != host {
		return false, nil
	}
	place, err := a.Locate(ctx, LocateInput{Host: host})
	if err != nil {
		return false, err
	}
	return place.Origin == origin && (place.Site != SiteStore || place.Company != nil), nil
}

// ServesHost says whether this program serves a host: a site of the platform, the host of an existing company, or a
// company's proven domain. A proxy asks before it gets a certificate for a host. host has no port and is spelled as
// certificates spell it: in lower case, in ASCII.
func (a *Access) ServesHost(ctx context.Context, host string) (bool, error) {
	if a.dev && IsLocal(host) { // no authority certifies a local name
		return false, nil
	}
	return a.OwnOrigin(ctx, a.base.Scheme+"://"+host+a.Port())
}

// ServesAPI says whether a host serves only the API, and whether it serves the API beside the pages, as local names and
// the base do in dev.
func (a *Access) ServesAPI(host string) (only, too bool) {
	host, ok := NormalHost(host)
	return ok && host == "api."+a.baseHost, ok && a.dev && (host == a.baseHost || IsLocal(host))
}

func (a *Access) locateLocal(ctx context.Context, host, companyID string) (Place, error) {
	name := host
	if strings.Contains(host, ":") {
		name = "[" + host + "]"
	}
	place := Place{Site: SiteAccount, Host: host, Origin: a.base.Scheme + "://" + name + a.Port(), Local: true}
	id, ok := DecimalID(companyID)
	if !ok {
		return place, nil
	}
	return a.withCompany(ctx, place, func() (*store.Company, error) { return a.Companies.ByID(ctx, a.db, id, a.now()) })
}

// locateLabel returns the place of a label directly below the base.
func (a *Access) locateLabel(label string) (Place, bool) {
	switch label {
	case "account":
		return Place{Site: SiteAccount}, true
	case "api":
		return Place{Site: SiteAPI}, true
	case "mgr":
		return Place{Site: SiteMobileMgr}, true
	case "m", "am", "bm":
		return Place{Site: SiteMobileShop, Variant: strings.TrimSuffix(label, "m")}, true
	}
	variant, id := StoreLabel(label)
	return Place{Site: SiteStore, Variant: variant}, id != 0
}

func (a *Access) withCompany(_ context.Context, place Place, find func() (*store.Company, error)) (Place, error) {
	c, err := find()
	if errors.Is(err, store.ErrNotFound) {
		return place, nil
	}
	if err != nil {
		return place, err
	}
	place.Company = c
	return place, nil
}

// Origin returns the origin of a label below the base, of the base itself for "". It comes from the configuration.
func (a *Access) Origin(label string) string {
	if label == "" {
		return a.base.Scheme + "://" + a.base.Host
	}
	return a.base.Scheme + "://" + label + "." + a.base.Host
}

// CompanyOrigin returns the origin of a company's host below the base, where its staff and customers sign in.
func (a *Access) CompanyOrigin(companyID int64) string { return a.Origin("store" + Decimal(companyID)) }

// Port returns the port of the base with its colon, "" for the default port.
func (a *Access) Port() string {
	if port := a.base.Port(); port != "" {
		return ":" + port
	}
	return ""
}

// StoreLabel parses "store12", "astore12" and "bstore12". It returns id 0 for any other label.
func StoreLabel(label string) (variant string, id int64) {
	rest, ok := strings.CutPrefix(label, "store")
	if !ok && len(label) > 0 && (label[0] == 'a' || label[0] == 'b') {
		variant = label[:1]
		rest, ok = strings.CutPrefix(label[1:], "store")
	}
	id, decimal := DecimalID(rest)
	if !ok || !decimal {
		return "", 0
	}
	return variant, id
}

// NormalHost normalises a Host header: lower case, without port and final dot. ok is false for anything but a plain
// host name or IP address.
func NormalHost(raw string) (host string, ok bool) {
	if len(raw) == 0 || len(raw) > 255 {
		return "", false
	}
	host = raw
	if host[0] == '[' {
		end := strings.IndexByte(host, ']')
		if end < 0 || !goodPort(host[end+1:]) {
			return "", false
		}
		address, err := netip.ParseAddr(host[1:end])
		if err != nil || !address.Is6() || address.Zone() != "" {
			return "", false
		}
		return address.String(), true
	}
	if colon := strings.IndexByte(host, ':'); colon >= 0 {
		if !goodPort(host[colon:]) {
			return "", false
		}
		host = host[:colon]
	}
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	if host == "" {
		return "", false
	}
	for label := range strings.SplitSeq(host, ".") {
		if !goodLabel(label) {
			return "", false
		}
	}
	return host, true
}

func goodPort(s string) bool {
	if s == "" {
		return true
	}
	if s[0] != ':' || len(s) > 6 {
		return false
	}
	for i := 1; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}

func goodLabel(label string) bool {
	if label == "" || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' {
		return false
	}
	for i := range len(label) {
		c := label[i]
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' && c != '_' {
			return false
		}
	}
	return true
}

// IsLocal says whether a host is localhost, a loopback address or a 192.168.x.x address. Names that only begin like one
// are not local.
func IsLocal(host string) bool {
	if host == "localhost" {
		return true
	}
	address, err := netip.ParseAddr(host)
	if err != nil {
		return false
	}
	return address.IsLoopback() || address.Is4() && address.As4()[0] == 192 && address.As4()[1] == 168
}

// MaxHost is the longest host, in characters.
const MaxHost = 253

// maxClaimed is how much of a typed host is read, in bytes.
const maxClaimed = 4 * MaxHost

// UnderBase says whether a normalised host is the base or below it. No company can claim such a host.
func (a *Access) UnderBase(host string) bool {
	return host == a.baseHost || strings.HasSuffix(host, "."+a.baseHost)
}

// Place is the site and company that a request is for. Its host alone decides.
type Place struct {
	Site    Site
	Variant string         // "", "a" or "b": from astore, bstore, am, bm; kept in redirects
	Host    string         // normalised, without port; "" when the header was malformed
	Origin  string         // scheme://host[:port], built from configuration, never from the request
	Company *store.Company // nil without a company
	Local   bool           // the company may be named by ?companyId= (dev, loopback or 192.168.x.x)

	// OwnDomain says that the host is a company's own domain. The company controls its DNS, so no password and no code
	// is typed there.
	OwnDomain bool
}

// CompanyID returns the id of the place's company, 0 without one.
func (p Place) CompanyID() int64 {
	if p.Company == nil {
		return 0
	}
	return p.Company.ID
}

// Desktop says whether the desktop landing pages are served here.
func (p Place) Desktop() bool { return p.Site == SiteStore && p.Company != nil }

// InPlace returns the accounts that belong to a company, or all of them when companyID is 0.
func (a *Access) InPlace(members []store.Member, companyID int64) []store.Member {
	if companyID == 0 {
		return members
	}
	var own []store.Member
	for _, m := range members {
		if m.CompanyID == companyID {
			own = append(own, m)
		}
	}
	return own
}

// ChosenCompany returns the company that a person chose. It refuses with ChoiceRequired under "company_id" when none
// was chosen, and with NotFound when there is no such company.
func (a *Access) ChosenCompany(ctx context.Context, id int64) (store.Company, error) {
	if id == 0 {
		return store.Company{}, Invalid(Fields{"company_id": ChoiceRequired})
	}
	c, err := a.Companies.ByID(ctx, a.db, id, a.now())
	if errors.Is(err, store.ErrNotFound) {
		return store.Company{}, NotFound
	}
	if err != nil {
		return store.Company{}, err
	}
	return *c, nil
}
