package portaltest

import (
	"context"
	"net"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"portico/portal/access"
	"portico/portal/branding"
	"portico/portal/ordering"
	"portico/store"
)

// Office returns the landing of an account in the back office.
func (p *Platform) Office(login string) access.Landing { return p.At(p.Account(login)) }

// Claimed claims a host for a company and returns the claim.
func (p *Platform) Claimed(here access.Landing, host string) branding.Domain {
	p.T.Helper()
	NoError(p.T, p.Branding.ClaimDomain(p.From(HomeAddress), here, host))
	return p.Domain(here, host)
}

// Domain reads a company's claim of a host, zero for none.
func (p *Platform) Domain(here access.Landing, host string) branding.Domain {
	p.T.Helper()
	all, err := p.Branding.Domains(p.T.Context(), here)
	NoError(p.T, err)
	for _, d := range all {
		if d.Host == host {
			return d
		}
	}
	return branding.Domain{}
}

// NameServer is a DNS server on this machine that knows TXT records.
type NameServer struct {
	Mu      sync.Mutex
	Records map[string][]string // by name, with its final dot
	Silent  bool
	Asked   int
	Conn    net.PacketConn
}

// Serve answers queries until the connection is closed.
func (s *NameServer) Serve() {
	packet := make([]byte, 4096)
	for {
		n, from, err := s.Conn.ReadFrom(packet)
		if err != nil {
			return
		}
		var m dnsmessage.Message
		if m.Unpack(packet[:n]) != nil || len(m.Questions) != 1 {
			continue
		}
		if answer, ok := s.Answer(m); ok {
			_, _ = s.Conn.WriteTo(answer, from)
		}
	}
}

// Answer returns the packed answer to a query. ok is false when the server is silent.
func (s *NameServer) Answer(m dnsmessage.Message) ([]byte, bool) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	s.Asked++
	if s.Silent {
		return nil, false
	}
	question := m.Questions[0]
	m.Response, m.Authoritative, m.Additionals = true, true, nil
	texts, known := s.Records[question.Name.String()]
	if !known {
		m.RCode = dnsmessage.RCodeNameError
	} else if question.Type == dnsmessage.TypeTXT {
		for _, text := range texts {
			m.Answers = append(m.Answers, dnsmessage.Resource{
				Header: dnsmessage.ResourceHeader{Name: question.Name, Type: question.Type, Class: question.Class},
				Body:   &dnsmessage.TXTResource{TXT: []string{text}},
			})
		}
	}
	packed, err := m.Pack()
	return packed, err == nil
}

// Set changes the server and returns the number of queries until then.
func (s *NameServer) Set(change func(s *NameServer)) (asked int) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	change(s)
	return s.Asked
}

// Publish sets the TXT records of a domain.
func (s *NameServer) Publish(d branding.Domain, values ...string) {
	s.Set(func(s *NameServer) { s.Records[d.Record+"."] = values })
}

// Count returns the number of queries.
func (s *NameServer) Count() int { return s.Set(func(*NameServer) {}) }

// LookUpTXT asks the server, as the platform asks the system's resolver.
func (s *NameServer) LookUpTXT(ctx context.Context, name string) ([]string, error) {
	resolver := net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", s.Conn.LocalAddr().String())
	}}
	return resolver.LookupTXT(ctx, name+".")
}

// ProvenHost is a host that company 1002 proves to be its own.
const ProvenHost = "office.mariscos.com"

// WantDomain requires that every operation treats a host as company 1002's own domain, or that none does.
func (p *Platform) WantDomain(host string, holds bool) {
	p.T.Helper()
	place := p.Place(host)
	if (place.CompanyID() == 1002) != holds || place.OwnDomain != holds {
		p.T.Errorf("the host shows company %d", place.CompanyID())
	}
	if company, err := p.Branding.CompanyByHost(p.T.Context(), host); err != nil || (company != nil) != holds {
		p.T.Errorf("the call says %+v, %v", company, err)
	}
	if own, err := p.Access.OwnOrigin(p.T.Context(), "http://"+host); err != nil || own != holds {
		p.T.Errorf("CORS: %t, %v", own, err)
	}
	if owns, err := p.Db.Hosts.IsOwnedBy(p.T.Context(), 1002, host); err != nil || owns != holds {
		p.T.Errorf("it is the company's: %t, %v", owns, err)
	}
	want, domain := "http://store1002.portico.test/mgr?auth_code_=", ""
	if holds {
		want, domain = "http://"+host+"/mgr?auth_code_=", "http://"+host
	}
	if to := p.Enter(p.SignIn(AccountHost, "sur"), AccountHost, "sur", Desktop); !strings.HasPrefix(to.URL, want) {
		p.T.Errorf("the back office is at %s", to.URL)
	}
	if got := p.Company(1002).PCDomain; got != domain {
		p.T.Errorf("the desktop address is %q", got)
	}
}

// Lapse removes the record and advances the clock by three days.
func (p *Platform) Lapse(s *NameServer) {
	p.T.Helper()
	s.Set(func(s *NameServer) { clear(s.Records) })
	for range 3 {
		p.Clock.Advance(24 * time.Hour)
		NoError(p.T, p.Branding.CheckDomains(p.T.Context()))
	}
	p.WantDomain(ProvenHost, false)
}

// Look returns a complete look of company 1002.
func Look(name string) branding.AppearanceInput {
	return branding.AppearanceInput{
		Name: name, Theme: "1c7ed6", Language: "es", ShopSkin: "d9480f", Style: ".button { color: #fff }",
	}
}

// Publish publishes a look of company 1002 and returns the company.
func (p *Platform) Publish(in branding.AppearanceInput) store.Company {
	p.T.Helper()
	NoError(p.T, p.Branding.SetAppearance(p.T.Context(), p.Office("sur"), in))
	return p.Company(1002)
}

// Mark returns the mark with which the present look of company 1002 is undone.
func (p *Platform) Mark() string {
	p.T.Helper()
	kept, ok, err := p.Branding.LookBefore(p.T.Context(), p.Office("sur"))
	if err != nil || !ok {
		p.T.Fatalf("nothing to undo: %v", err)
	}
	return kept.Mark
}

// Viewed returns the stored page views of a company, by page and kind of device.
func (p *Platform) Viewed(companyID int64) map[string]int64 {
	p.T.Helper()
	NoError(p.T, p.Statistics.WriteViews(p.T.Context()))
	rows, err := p.Db.Views.OfCompany(p.T.Context(), companyID, 0)
	NoError(p.T, err)
	all := map[string]int64{}
	for _, r := range rows {
		all[r.Page+" "+r.Device] += r.Views
	}
	return all
}

// Product returns the first product of a company.
func (p *Platform) Product(company int64) store.Product {
	p.T.Helper()
	all, err := p.Db.Catalogue.Products(p.T.Context(), company)
	NoError(p.T, err)
	return all[0]
}

// Order places an order and confirms that a repetition is meant.
func (p *Platform) Order(here access.Landing, product int64, quantity, form string) (store.Order, error) {
	return p.Ordering.PlaceOrder(p.From(HomeAddress), here, ordering.OrderInput{
		ProductID: product, Quantity: quantity, Form: form, Again: true,
	})
}

// Stock returns the stock of a product.
func (p *Platform) Stock(company, product int64) int64 {
	p.T.Helper()
	k, err := p.Db.Catalogue.ProductByID(p.T.Context(), company, product)
	NoError(p.T, err)
	return k.Stock
}

// Seen returns the tag of a product of 1001 in the catalogue.
func (p *Platform) Seen(here access.Landing, product int64, lang string) string {
	p.T.Helper()
	all, err := p.Ordering.Catalogue(p.T.Context(), here, lang)
	NoError(p.T, err)
	for _, category := range all {
		for _, k := range category.Products {
			if k.ID == product {
				return k.Seen
			}
		}
	}
	p.T.Fatalf("product %d is not sold", product)
	return ""
}
