package branding_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"portico/portal"
	"portico/portal/access"
	"portico/portal/branding"
	"portico/portal/portaltest"
	"portico/store"
)

// StartNameServer starts a DNS server on a local port and stops it at the end of the test.
func StartNameServer(t *testing.T) *nameServer {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	portaltest.NoError(t, err)
	s := &nameServer{Records: map[string][]string{}, Conn: conn}
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.serve()
	}()
	t.Cleanup(func() {
		_ = conn.Close()
		<-done
	})
	return s
}

// EachWithProvenDomain runs a test with each database. Company 1002 has proven a domain and uses it for its desktop
// back office. record is the domain's DNS record.
func EachWithProvenDomain(
	t *testing.T, test func(t *testing.T, p *portaltest.Platform, s *nameServer, record branding.Domain),
) {
	t.Helper()
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		s := StartNameServer(t)
		p.Restart(func(o *portal.Options) { o.LookUpTXT = s.lookUpTXT })
		here := p.Office("sur")
		record := claimDomain(p, here, provenHost)
		s.publish(record, record.Value)
		portaltest.NoError(t, p.Branding.ProveDomain(p.From(portaltest.HomeAddress), here, provenHost))
		portaltest.NoError(
			t, p.Branding.UseDomain(p.From(portaltest.HomeAddress), p.Office("sur"), provenHost),
		)
		test(t, p, s, record)
	})
}

func TestAProvenDomainIsLookedUpOnceADay(t *testing.T) {
	EachWithProvenDomain(t, func(t *testing.T, p *portaltest.Platform, s *nameServer, _ branding.Domain) {
		before := s.count()
		p.Clock.Advance(24*time.Hour - time.Millisecond)
		portaltest.NoError(t, p.Branding.CheckDomains(t.Context()))
		if s.count() != before {
			t.Error("asked before a day was over")
		}
		for day := range 5 {
			if day > 0 {
				p.Clock.Advance(24 * time.Hour)
			} else {
				p.Clock.Advance(time.Millisecond)
			}
			portaltest.NoError(t, p.Branding.CheckDomains(t.Context()))
			portaltest.NoError(t, p.Branding.CheckDomains(t.Context()))
			if s.count() != before+day+1 {
				t.Fatalf("asked %d times in %d days", s.count()-before, day+1)
			}
			wantDomain(p, provenHost, true)
		}
		if d := readDomain(p, p.Office("sur"), provenHost); !d.Proven || d.Record != "" || !d.LapsesAt.IsZero() {
			t.Errorf("%+v", d)
		}
	})
}

func TestADomainWithoutItsRecordLapsesAfterThreeDays(t *testing.T) {
	for name, goes := range map[string]func(s *nameServer){
		"the record is removed": func(s *nameServer) { clear(s.Records) },
		"the record is replaced": func(s *nameServer) {
			s.Records["_portico."+provenHost+"."] = []string{"portico=b"}
		},
		"DNS does not answer": func(s *nameServer) { s.Silent = true },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			EachWithProvenDomain(t, func(t *testing.T, p *portaltest.Platform, s *nameServer,
				record branding.Domain) {
				seen := p.Clock.Now()
				s.set(goes)
				for range 2 {
					p.Clock.Advance(24 * time.Hour)
					portaltest.NoError(t, p.Branding.CheckDomains(t.Context()))
					wantDomain(p, provenHost, true)
				}
				missing := readDomain(p, p.Office("sur"), provenHost)
				if !missing.Proven || missing.Value != record.Value ||
					!missing.SeenAt.Equal(seen) || !missing.LapsesAt.Equal(seen.Add(72*time.Hour)) {
					t.Errorf("the record is missing: %+v", missing)
				}
				p.Clock.Advance(24*time.Hour - time.Millisecond)
				portaltest.NoError(t, p.Branding.CheckDomains(t.Context()))
				wantDomain(p, provenHost, true)
				code := p.Enter(
					p.SignIn(portaltest.AccountHost, "sur"), portaltest.AccountHost, "sur", portaltest.Desktop,
				)
				arrival := p.RedeemInput(code)
				p.Clock.Advance(time.Millisecond)
				portaltest.NoError(t, p.Branding.CheckDomains(t.Context()))
				wantDomain(p, provenHost, false)

				_, err := p.Landing.Redeem(p.From(portaltest.HomeAddress), arrival) // issued a moment before
				portaltest.Refused(t, err, access.RedirectFailed)
				_, err = p.Landing.RedeemForClient(p.From(portaltest.HomeAddress), arrival.Code, access.ClientPC, 0)
				portaltest.Refused(t, err, access.LoginRequired)
				if p.CountEvents(1002, "domain_lapsed") != 1 {
					t.Error("not in the audit log")
				}
				lapsed := readDomain(p, p.Office("sur"), provenHost)
				if lapsed.Proven || lapsed.Desktop || lapsed.Record != record.Record || lapsed.Value != record.Value ||
					!lapsed.SeenAt.Equal(seen) || !lapsed.LapsedAt.Equal(seen.Add(72*time.Hour)) {
					t.Errorf("%+v", lapsed)
				}
				asked := s.count()
				p.Clock.Advance(24 * time.Hour)
				portaltest.NoError(t, p.Branding.CheckDomains(t.Context()))
				if s.count() != asked {
					t.Error("a domain that lapsed is looked up on")
				}
			})
		})
	}
}

func TestOneLookUpAfterAPauseOfTheProgramEndsNoProof(t *testing.T) {
	EachWithProvenDomain(t, func(t *testing.T, p *portaltest.Platform, s *nameServer, _ branding.Domain) {
		s.set(func(s *nameServer) { s.Silent = true })
		p.Clock.Advance(5 * 24 * time.Hour) // nothing was looked up meanwhile
		portaltest.NoError(t, p.Branding.CheckDomains(t.Context()))
		wantDomain(p, provenHost, true)
		next := p.Clock.Now().Add(24 * time.Hour)
		if d := readDomain(p, p.Office("sur"), provenHost); !d.LapsesAt.Equal(next) {
			t.Errorf("it lapses at %v, want %v", d.LapsesAt, next)
		}
		p.Clock.Advance(24 * time.Hour)
		portaltest.NoError(t, p.Branding.CheckDomains(t.Context()))
		wantDomain(p, provenHost, false)
	})
}

func TestARecordThatIsBackInTimeKeepsTheDomain(t *testing.T) {
	EachWithProvenDomain(t, func(t *testing.T, p *portaltest.Platform, s *nameServer,
		record branding.Domain) {
		s.set(func(s *nameServer) { s.Silent = true })
		for range 2 {
			p.Clock.Advance(24 * time.Hour)
			portaltest.NoError(t, p.Branding.CheckDomains(t.Context()))
		}
		s.set(func(s *nameServer) { s.Silent = false })
		p.Clock.Advance(24 * time.Hour)
		portaltest.NoError(t, p.Branding.CheckDomains(t.Context()))
		s.set(func(s *nameServer) { clear(s.Records) })
		for range 2 { // three days count anew
			p.Clock.Advance(24 * time.Hour)
			portaltest.NoError(t, p.Branding.CheckDomains(t.Context()))
			wantDomain(p, provenHost, true)
		}
		s.publish(record, record.Value)
		// An administrator need not wait for the next look-up.
		portaltest.NoError(
			t, p.Branding.ProveDomain(p.From(portaltest.HomeAddress), p.Office("sur"), provenHost),
		)
		if d := readDomain(p, p.Office("sur"), provenHost); !d.Proven || !d.Desktop || d.Record != "" {
			t.Errorf("%+v", d)
		}
	})
}

func TestALapsedDomainReturnsToTheCompanyWhenProvenAgain(t *testing.T) {
	EachWithProvenDomain(t, func(t *testing.T, p *portaltest.Platform, s *nameServer,
		record branding.Domain) {
		loseDomain(p, s)
		here, ctx := p.Office("sur"), p.From(portaltest.HomeAddress)
		if DomainProblem(t, p.Branding.ProveDomain(ctx, here, provenHost)) != access.DomainUnproven {
			t.Error("proven without a record")
		}
		portaltest.Refused(t, p.Branding.UseDomain(ctx, here, provenHost), access.NotFound)
		// the domain is on the list already
		portaltest.NoError(t, p.Branding.ClaimDomain(ctx, here, provenHost))
		s.publish(record, record.Value)
		p.Clock.Advance(24 * time.Hour)
		portaltest.NoError(t, p.Branding.CheckDomains(t.Context()))
		wantDomain(p, provenHost, false) // the record alone is not enough: its value was public
		portaltest.NoError(t, p.Branding.ProveDomain(ctx, here, provenHost))
		wantDomain(p, provenHost, true)
		if all, err := p.Branding.Domains(t.Context(), p.Office("sur")); err != nil || len(all) != 1 {
			t.Errorf("%+v, %v", all, err)
		}
		p.Clock.Advance(24 * time.Hour)
		before := s.count()
		portaltest.NoError(t, p.Branding.CheckDomains(t.Context()))
		if s.count() != before+1 {
			t.Error("it is not looked up daily any more")
		}
	})
}

func TestALapsedDomainCanBeProvenByAnotherCompany(t *testing.T) {
	EachWithProvenDomain(t, func(t *testing.T, p *portaltest.Platform, s *nameServer, _ branding.Domain) {
		loseDomain(p, s)
		here, ctx := p.Office("jinsui"), p.From(portaltest.HomeAddress)
		portaltest.Refused(t, p.Branding.ProveDomain(ctx, here, provenHost), access.NotFound)
		portaltest.Refused(t, p.Branding.RemoveDomain(ctx, here, provenHost), access.NotFound)
		claim := claimDomain(p, here, provenHost)
		s.publish(claim, claim.Value)
		portaltest.NoError(t, p.Branding.ProveDomain(ctx, here, provenHost))
		if p.Place(provenHost).CompanyID() != 1001 || p.Company(1001).PCDomain != "" {
			t.Error("it is not the other company's")
		}
		portaltest.Refused(t, p.Branding.ProveDomain(ctx, p.Office("sur"), provenHost), access.NotFound)
		if all, err := p.Branding.Domains(t.Context(), p.Office("sur")); err != nil || len(all) != 0 {
			t.Errorf("%+v, %v", all, err)
		}
	})
}

func TestALapsedDomainCanBeRemovedOrGivenByTheOperator(t *testing.T) {
	EachWithProvenDomain(t, func(t *testing.T, p *portaltest.Platform, s *nameServer, _ branding.Domain) {
		loseDomain(p, s)
		portaltest.NoError(t, p.Operator.SetCompany(t.Context(), 1002, "domain", provenHost))
		wantDomain(p, provenHost, true)
		asked := s.count()
		for range 5 { // the operator vouches for it: there is nothing to look up
			p.Clock.Advance(24 * time.Hour)
			portaltest.NoError(t, p.Branding.CheckDomains(t.Context()))
		}
		portaltest.NoError(
			t, p.Branding.ProveDomain(p.From(portaltest.HomeAddress), p.Office("sur"), provenHost),
		)
		wantDomain(p, provenHost, true)
		if s.count() != asked {
			t.Error("DNS was asked")
		}
	})
	EachWithProvenDomain(t, func(t *testing.T, p *portaltest.Platform, s *nameServer, _ branding.Domain) {
		loseDomain(p, s)
		portaltest.NoError(
			t, p.Branding.RemoveDomain(p.From(portaltest.HomeAddress), p.Office("sur"), provenHost),
		)
		if all, err := p.Branding.Domains(t.Context(), p.Office("sur")); err != nil || len(all) != 0 {
			t.Errorf("%+v, %v", all, err)
		}
	})
}

func TestOneProcessChecksDomainsAndAnotherTakesOverWhenItStops(t *testing.T) {
	EachWithProvenDomain(t, func(t *testing.T, p *portaltest.Platform, s *nameServer, _ branding.Domain) {
		other, err := portal.New(p.Options)
		portaltest.NoError(t, err)
		p.Clock.Advance(24 * time.Hour)
		before := s.count()
		portaltest.NoError(t, p.Branding.CheckDomains(t.Context()))
		p.Clock.Advance(24 * time.Hour) // the lease of the first has ended
		portaltest.NoError(t, other.Branding.CheckDomains(t.Context()))
		if s.count() != before+2 {
			t.Errorf("asked %d times in two days", s.count()-before)
		}
		p.Clock.Advance(24*time.Hour - time.Second)
		// nothing is due, but the lease is its own again
		portaltest.NoError(t, other.Branding.CheckDomains(t.Context()))
		p.Clock.Advance(time.Second)
		portaltest.NoError(t, p.Branding.CheckDomains(t.Context()))
		if s.count() != before+2 {
			t.Error("two processes look up at once")
		}
		portaltest.NoError(t, other.Branding.CheckDomains(t.Context()))
		if s.count() != before+3 {
			t.Error("the one that holds the lease does not")
		}
	})
}

func TestAStoppedCheckChangesNothing(t *testing.T) {
	EachWithProvenDomain(t, func(t *testing.T, p *portaltest.Platform, s *nameServer, _ branding.Domain) {
		s.set(func(s *nameServer) { clear(s.Records) })
		for range 2 {
			p.Clock.Advance(24 * time.Hour)
			portaltest.NoError(t, p.Branding.CheckDomains(t.Context()))
		}
		s.set(func(s *nameServer) { s.Silent = true })
		p.Clock.Advance(24 * time.Hour)
		ctx, stop := context.WithCancel(t.Context())
		time.AfterFunc(100*time.Millisecond, stop) // while it waits for DNS
		if err := p.Branding.CheckDomains(ctx); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		wantDomain(p, provenHost, true)
	})
}

func TestManyDomainsAreCheckedInOneRun(t *testing.T) {
	EachWithProvenDomain(t, func(t *testing.T, p *portaltest.Platform, s *nameServer, _ branding.Domain) {
		ctx, hosts := p.From(portaltest.HomeAddress), []string{provenHost}
		for _, login := range []string{"sur", "jinsui", "northwind"} {
			here := p.Office(login)
			for _, letter := range []string{"a", "b", "c", "d"} {
				host := letter + "." + login + ".com"
				claim := claimDomain(p, here, host)
				s.publish(claim, claim.Value)
				portaltest.NoError(t, p.Branding.ProveDomain(ctx, here, host))
				hosts = append(hosts, host)
			}
		}
		s.set(func(s *nameServer) { delete(s.Records, "_portico.b.sur.com.") })
		for range 3 {
			p.Clock.Advance(24 * time.Hour)
			portaltest.NoError(t, p.Branding.CheckDomains(t.Context()))
		}
		var lapsed []string
		for _, host := range hosts {
			if p.Place(host).Company == nil {
				lapsed = append(lapsed, host)
			}
		}
		if !slices.Equal(lapsed, []string{"b.sur.com"}) {
			t.Errorf("%q lapsed", lapsed)
		}
	})
}

// A look-up takes up to three seconds. So that the lease of a process that looks up many domains does not end
// meanwhile, the process renews it after each ten.
func TestTheLeaseOfAMinuteIsRenewedAfterTenLookUps(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		var left []time.Duration // from start to the end of the lease, at each look-up
		var start time.Time
		p.Restart(func(o *portal.Options) {
			o.LookUpTXT = func(ctx context.Context, _ string) ([]string, error) {
				p.Clock.Advance(3 * time.Second)
				var until []store.Instant
				portaltest.NoError(t, p.DB.ReadRows(ctx, &until, "SELECT until FROM leases WHERE name = 'domains'"))
				left = append(left, until[0].Time().Sub(start))
				return nil, context.DeadlineExceeded
			}
		})
		addProvenDomains(p, 21)
		p.Clock.Advance(24 * time.Hour)
		start = p.Clock.Now()
		portaltest.NoError(t, p.Branding.CheckDomains(t.Context()))
		if len(left) != 21 {
			t.Fatalf("%d look-ups", len(left))
		}
		for i, until := range left {
			if want := time.Minute + time.Duration(i/10)*30*time.Second; until != want {
				t.Errorf("at look-up %d the lease lasts until second %v, want %v", i+1, until.Seconds(), want.Seconds())
			}
		}
	})
}

func TestAnotherProcessChecksDomainsAMinuteAfterTheFirstHasStopped(t *testing.T) {
	EachWithDNS(t, func(t *testing.T, p *portaltest.Platform, d *FakeDNS) {
		other, err := portal.New(p.Options)
		portaltest.NoError(t, err)
		addProvenDomains(p, 1)
		p.Clock.Advance(24*time.Hour - 30*time.Second)
		portaltest.NoError(t, p.Branding.CheckDomains(t.Context())) // takes the lease; nothing is due
		p.Clock.Advance(time.Minute - time.Millisecond)
		portaltest.NoError(t, other.Branding.CheckDomains(t.Context()))
		if len(d.Asked) != 0 {
			t.Error("the second process looks up before the minute is over")
		}
		p.Clock.Advance(time.Millisecond)
		portaltest.NoError(t, other.Branding.CheckDomains(t.Context()))
		if len(d.Asked) != 1 {
			t.Error("the second process does not take over")
		}
	})
}

// nameServer is a DNS server on this machine that knows TXT records.
type nameServer struct {
	Mu      sync.Mutex
	Records map[string][]string // by name, with its final dot
	Silent  bool
	Asked   int
	Conn    net.PacketConn
}

// serve answers queries until the connection is closed.
func (s *nameServer) serve() {
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
		if answer, ok := s.answer(m); ok {
			_, _ = s.Conn.WriteTo(answer, from)
		}
	}
}

// answer returns the packed answer to a query. ok is false when the server is silent.
func (s *nameServer) answer(m dnsmessage.Message) ([]byte, bool) {
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

// set changes the server and returns the number of queries until then.
func (s *nameServer) set(change func(s *nameServer)) (asked int) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	change(s)
	return s.Asked
}

// publish sets the TXT records of a domain.
func (s *nameServer) publish(d branding.Domain, values ...string) {
	s.set(func(s *nameServer) { s.Records[d.Record+"."] = values })
}

// count returns the number of queries.
func (s *nameServer) count() int { return s.set(func(*nameServer) {}) }

// lookUpTXT asks the server, as the platform asks the system's resolver.
func (s *nameServer) lookUpTXT(ctx context.Context, name string) ([]string, error) {
	resolver := net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", s.Conn.LocalAddr().String())
	}}
	return resolver.LookupTXT(ctx, name+".")
}

// provenHost is a host that company 1002 proves to be its own.
const provenHost = "office.mariscos.com"

// wantDomain fails the test unless every operation treats a host as company 1002's own domain (holds), or none does.
func wantDomain(p *portaltest.Platform, host string, holds bool) {
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
	if owns, err := p.DB.Hosts.IsOwnedBy(p.T.Context(), 1002, host); err != nil || owns != holds {
		p.T.Errorf("it is the company's: %t, %v", owns, err)
	}
	want, domain := "http://store1002.portico.test/mgr?auth_code_=", ""
	if holds {
		want, domain = "http://"+host+"/mgr?auth_code_=", "http://"+host
	}
	if to := p.Enter(
		p.SignIn(portaltest.AccountHost, "sur"), portaltest.AccountHost, "sur", portaltest.Desktop,
	); !strings.HasPrefix(to.URL, want) {
		p.T.Errorf("the back office is at %s", to.URL)
	}
	if got := p.Company(1002).PCDomain; got != domain {
		p.T.Errorf("the desktop address is %q", got)
	}
}

// addProvenDomains gives company 1002 so many domains that DNS has just proven.
func addProvenDomains(p *portaltest.Platform, n int) {
	p.T.Helper()
	for i := range n {
		held, err := p.DB.Hosts.Verify(
			p.T.Context(), 1002, fmt.Sprintf("d%d.mariscos.com", i), "token", store.At(p.Clock.Now()),
		)
		if err != nil || !held {
			p.T.Fatal(held, err)
		}
	}
}

// loseDomain removes the DNS record and advances the clock by three days, after which the domain must be lost.
func loseDomain(p *portaltest.Platform, s *nameServer) {
	p.T.Helper()
	s.set(func(s *nameServer) { clear(s.Records) })
	for range 3 {
		p.Clock.Advance(24 * time.Hour)
		portaltest.NoError(p.T, p.Branding.CheckDomains(p.T.Context()))
	}
	wantDomain(p, provenHost, false)
}
