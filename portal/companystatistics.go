package portal

import (
	"slices"
	"strings"

	"portico/store"
)

// maxViewCount is the longest address of a company's statistics, in bytes.
const maxViewCount = 200

// CountedPage is the fixed name of a page whose views are reported to a company's statistics (specification section 2).
type CountedPage string

// The pages: none of them has a code in it, or a form that takes anything (requirement 93).
const (
	CountedAgreement  CountedPage = "agreement"
	CountedJumpError  CountedPage = "jumperror"
	CountedShopOrders CountedPage = "shop-orders"
	CountedShopOrder  CountedPage = "shop-order"
)

// viewCount is the address of a company's statistics in its one spelling: https, a host that the operator listed, and a plain
// path. What is reported is added to the path, so it has no query.
func (p *Portal) viewCount(typed string) (string, Problem) {
	address := strings.TrimRight(strings.TrimSpace(typed), "/")
	if address == "" {
		return "", ""
	}
	rest, secure := strings.CutPrefix(address, "https://")
	host, path, _ := strings.Cut(rest, "/")
	if !secure || len(address) > maxViewCount {
		return typed, CounterMalformed
	}
	if !slices.Contains(p.counters, host) {
		return typed, CounterUnlisted
	}
	if path == "" {
		return address, ""
	}
	for part := range strings.SplitSeq(path, "/") {
		if strings.Trim(part, ".") == "" || strings.Trim(part, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") != "" {
			return typed, CounterMalformed
		}
	}
	return address, ""
}

// Counters are the hosts that statistics may be at, as the operator lists them.
func (p *Portal) Counters() []string { return p.counters }

// Counter is where a view of a page is reported: the address of the company's statistics, its id and the page's name. Origin is
// the statistics' host with its scheme. Both are "" where none is set, or its host is listed no more.
func (p *Portal) Counter(c store.Company, page CountedPage) (address, origin string) {
	base, problem := p.viewCount(c.ViewCountURL)
	if base == "" || problem != "" || page == "" {
		return "", ""
	}
	host, _, _ := strings.Cut(strings.TrimPrefix(base, "https://"), "/")
	return base + "/" + decimal(c.ID) + "/" + string(page), "https://" + host
}
