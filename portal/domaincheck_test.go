package portal_test

import (
	"context"
	"errors"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"portico/portal"
)

// nameServer is a DNS server on this machine that knows TXT records.
type nameServer struct {
	mu      sync.Mutex
	records map[string][]string // by name, with its final dot
	silent  bool
	asked   int
	conn    net.PacketConn
}

func startNameServer(t *testing.T) *nameServer {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	noError(t, err)
	s := &nameServer{records: map[string][]string{}, conn: conn}
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

func (s *nameServer) serve() {
	packet := make([]byte, 4096)
	for {
		n, from, err := s.conn.ReadFrom(packet)
		if err != nil {
			return
		}
		var m dnsmessage.Message
		if m.Unpack(packet[:n]) != nil || len(m.Questions) != 1 {
			continue
		}
		if answer, ok := s.answer(m); ok {
			_, _ = s.conn.WriteTo(answer, from)
		}
	}
}

func (s *nameServer) answer(m dnsmessage.Message) ([]byte, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked++
	if s.silent {
		return nil, false
	}
	question := m.Questions[0]
	m.Response, m.Authoritative, m.Additionals = true, true, nil
	texts, known := s.records[question.Name.String()]
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

// set changes what the server says and returns how often it was asked until then.
func (s *nameServer) set(change func(s *nameServer)) (asked int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(s)
	return s.asked
}

func (s *nameServer) publish(d portal.Domain, values ...string) {
	s.set(func(s *nameServer) { s.records[d.Record+"."] = values })
}

func (s *nameServer) count() int { return s.set(func(*nameServer) {}) }

// lookUpTXT asks the server as the platform asks the system's resolver.
func (s *nameServer) lookUpTXT(ctx context.Context, name string) ([]string, error) {
	resolver := net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", s.conn.LocalAddr().String())
	}}
	return resolver.LookupTXT(ctx, name+".")
}

const provenHost = "office.mariscos.com"

// eachProven runs a test on platforms whose company 1002 has proven a domain that is its desktop back office.
func eachProven(t *testing.T, test func(t *testing.T, p *platform, s *nameServer, record portal.Domain)) {
	t.Helper()
	each(t, func(t *testing.T, p *platform) {
		s := startNameServer(t)
		p.restart(func(o *portal.Options) { o.LookUpTXT = s.lookUpTXT })
		here := p.office("sur")
		record := p.claimed(here, provenHost)
		s.publish(record, record.Value)
		noError(t, p.ProveDomain(p.from(homeAddress), here, provenHost))
		noError(t, p.UseDomain(p.from(homeAddress), p.office("sur"), provenHost))
		test(t, p, s, record)
	})
}

// wantDomain demands that every operation treats a domain as the company's, or that none does.
func (p *platform) wantDomain(host string, holds bool) {
	p.t.Helper()
	place := p.place(host)
	if (place.CompanyID() == 1002) != holds || place.OwnDomain != holds {
		p.t.Errorf("the host shows company %d", place.CompanyID())
	}
	if company, err := p.CompanyByHost(p.t.Context(), host); err != nil || (company != nil) != holds {
		p.t.Errorf("the call says %+v, %v", company, err)
	}
	if own, err := p.OwnOrigin(p.t.Context(), "http://"+host); err != nil || own != holds {
		p.t.Errorf("CORS: %t, %v", own, err)
	}
	if owns, err := p.db.CompanyOwnsHost(p.t.Context(), 1002, host); err != nil || owns != holds {
		p.t.Errorf("it is the company's: %t, %v", owns, err)
	}
	want, domain := "http://store1002.portico.test/mgr?auth_code_=", ""
	if holds {
		want, domain = "http://"+host+"/mgr?auth_code_=", "http://"+host
	}
	if to := p.enter(p.signIn(accountHost, "sur"), accountHost, "sur", desktop); !strings.HasPrefix(to.URL, want) {
		p.t.Errorf("the back office is at %s", to.URL)
	}
	if got := p.company(1002).PCDomain; got != domain {
		p.t.Errorf("the desktop address is %q", got)
	}
}

func TestAProvenDomainIsLookedUpOnceADay(t *testing.T) {
	eachProven(t, func(t *testing.T, p *platform, s *nameServer, _ portal.Domain) {
		before := s.count()
		p.clock.advance(24*time.Hour - time.Millisecond)
		noError(t, p.CheckDomains(t.Context()))
		if s.count() != before {
			t.Error("asked before a day was over")
		}
		for day := range 5 {
			if day > 0 {
				p.clock.advance(24 * time.Hour)
			} else {
				p.clock.advance(time.Millisecond)
			}
			noError(t, p.CheckDomains(t.Context()))
			noError(t, p.CheckDomains(t.Context()))
			if s.count() != before+day+1 {
				t.Fatalf("asked %d times in %d days", s.count()-before, day+1)
			}
			p.wantDomain(provenHost, true)
		}
		if d := p.domain(p.office("sur"), provenHost); !d.Proven || d.Record != "" || !d.LapsesAt.IsZero() {
			t.Errorf("%+v", d)
		}
	})
}

func TestADomainWithoutItsRecordLapsesAfterThreeDays(t *testing.T) {
	for name, goes := range map[string]func(s *nameServer){
		"the record is removed":  func(s *nameServer) { clear(s.records) },
		"the record is replaced": func(s *nameServer) { s.records["_portico."+provenHost+"."] = []string{"portico=b"} },
		"DNS does not answer":    func(s *nameServer) { s.silent = true },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			eachProven(t, func(t *testing.T, p *platform, s *nameServer, record portal.Domain) {
				seen := p.clock.now()
				s.set(goes)
				for range 2 {
					p.clock.advance(24 * time.Hour)
					noError(t, p.CheckDomains(t.Context()))
					p.wantDomain(provenHost, true)
				}
				missing := p.domain(p.office("sur"), provenHost)
				if !missing.Proven || missing.Value != record.Value ||
					!missing.SeenAt.Equal(seen) || !missing.LapsesAt.Equal(seen.Add(72*time.Hour)) {
					t.Errorf("the record is missing: %+v", missing)
				}
				p.clock.advance(24*time.Hour - time.Millisecond)
				noError(t, p.CheckDomains(t.Context()))
				p.wantDomain(provenHost, true)
				code := p.enter(p.signIn(accountHost, "sur"), accountHost, "sur", desktop)
				arrival := p.arrival(code)
				p.clock.advance(time.Millisecond)
				noError(t, p.CheckDomains(t.Context()))
				p.wantDomain(provenHost, false)

				_, err := p.Redeem(p.from(homeAddress), arrival) // issued a moment before
				refused(t, err, portal.RedirectFailed)
				_, err = p.RedeemForClient(p.from(homeAddress), arrival.Code, portal.ClientPC, 0)
				refused(t, err, portal.LoginRequired)
				if p.events(1002, "domain_lapsed") != 1 {
					t.Error("not in the audit log")
				}
				lapsed := p.domain(p.office("sur"), provenHost)
				if lapsed.Proven || lapsed.Desktop || lapsed.Record != record.Record || lapsed.Value != record.Value ||
					!lapsed.SeenAt.Equal(seen) || !lapsed.LapsedAt.Equal(seen.Add(72*time.Hour)) {
					t.Errorf("%+v", lapsed)
				}
				asked := s.count()
				p.clock.advance(24 * time.Hour)
				noError(t, p.CheckDomains(t.Context()))
				if s.count() != asked {
					t.Error("a domain that lapsed is looked up on")
				}
			})
		})
	}
}

func TestOneLookUpAfterAPauseOfTheProgramEndsNoProof(t *testing.T) {
	eachProven(t, func(t *testing.T, p *platform, s *nameServer, _ portal.Domain) {
		s.set(func(s *nameServer) { s.silent = true })
		p.clock.advance(5 * 24 * time.Hour) // nothing was looked up meanwhile
		noError(t, p.CheckDomains(t.Context()))
		p.wantDomain(provenHost, true)
		next := p.clock.now().Add(24 * time.Hour)
		if d := p.domain(p.office("sur"), provenHost); !d.LapsesAt.Equal(next) {
			t.Errorf("it lapses at %v, want %v", d.LapsesAt, next)
		}
		p.clock.advance(24 * time.Hour)
		noError(t, p.CheckDomains(t.Context()))
		p.wantDomain(provenHost, false)
	})
}

func TestARecordThatIsBackInTimeKeepsTheDomain(t *testing.T) {
	eachProven(t, func(t *testing.T, p *platform, s *nameServer, record portal.Domain) {
		s.set(func(s *nameServer) { s.silent = true })
		for range 2 {
			p.clock.advance(24 * time.Hour)
			noError(t, p.CheckDomains(t.Context()))
		}
		s.set(func(s *nameServer) { s.silent = false })
		p.clock.advance(24 * time.Hour)
		noError(t, p.CheckDomains(t.Context()))
		s.set(func(s *nameServer) { clear(s.records) })
		for range 2 { // three days count anew
			p.clock.advance(24 * time.Hour)
			noError(t, p.CheckDomains(t.Context()))
			p.wantDomain(provenHost, true)
		}
		s.publish(record, record.Value)
		// An administrator need not wait for the next look-up.
		noError(t, p.ProveDomain(p.from(homeAddress), p.office("sur"), provenHost))
		if d := p.domain(p.office("sur"), provenHost); !d.Proven || !d.Desktop || d.Record != "" {
			t.Errorf("%+v", d)
		}
	})
}

// lapse removes the record and advances the clock by three days.
func (p *platform) lapse(s *nameServer) {
	p.t.Helper()
	s.set(func(s *nameServer) { clear(s.records) })
	for range 3 {
		p.clock.advance(24 * time.Hour)
		noError(p.t, p.CheckDomains(p.t.Context()))
	}
	p.wantDomain(provenHost, false)
}

func TestALapsedDomainIsTheCompanysAgainOnceItIsProvenAgain(t *testing.T) {
	eachProven(t, func(t *testing.T, p *platform, s *nameServer, record portal.Domain) {
		p.lapse(s)
		here, ctx := p.office("sur"), p.from(homeAddress)
		if problem(t, p.ProveDomain(ctx, here, provenHost)) != portal.DomainUnproven {
			t.Error("proven without a record")
		}
		refused(t, p.UseDomain(ctx, here, provenHost), portal.NotFound)
		noError(t, p.ClaimDomain(ctx, here, provenHost)) // the domain is on the list already
		s.publish(record, record.Value)
		p.clock.advance(24 * time.Hour)
		noError(t, p.CheckDomains(t.Context()))
		p.wantDomain(provenHost, false) // the record alone is not enough: its value was public
		noError(t, p.ProveDomain(ctx, here, provenHost))
		p.wantDomain(provenHost, true)
		if all, err := p.Domains(t.Context(), p.office("sur")); err != nil || len(all) != 1 {
			t.Errorf("%+v, %v", all, err)
		}
		p.clock.advance(24 * time.Hour)
		before := s.count()
		noError(t, p.CheckDomains(t.Context()))
		if s.count() != before+1 {
			t.Error("it is not looked up daily any more")
		}
	})
}

func TestADomainThatLapsedIsFreeForOthers(t *testing.T) {
	eachProven(t, func(t *testing.T, p *platform, s *nameServer, _ portal.Domain) {
		p.lapse(s)
		here, ctx := p.office("jinsui"), p.from(homeAddress)
		refused(t, p.ProveDomain(ctx, here, provenHost), portal.NotFound)
		refused(t, p.RemoveDomain(ctx, here, provenHost), portal.NotFound)
		claim := p.claimed(here, provenHost)
		s.publish(claim, claim.Value)
		noError(t, p.ProveDomain(ctx, here, provenHost))
		if p.place(provenHost).CompanyID() != 1001 || p.company(1001).PCDomain != "" {
			t.Error("it is not the other company's")
		}
		refused(t, p.ProveDomain(ctx, p.office("sur"), provenHost), portal.NotFound)
		if all, err := p.Domains(t.Context(), p.office("sur")); err != nil || len(all) != 0 {
			t.Errorf("%+v, %v", all, err)
		}
	})
}

func TestALapsedDomainCanBeRemovedOrGivenByTheOperator(t *testing.T) {
	eachProven(t, func(t *testing.T, p *platform, s *nameServer, _ portal.Domain) {
		p.lapse(s)
		noError(t, p.SetCompany(t.Context(), 1002, "domain", provenHost))
		p.wantDomain(provenHost, true)
		asked := s.count()
		for range 5 { // the operator vouches for it: there is nothing to look up
			p.clock.advance(24 * time.Hour)
			noError(t, p.CheckDomains(t.Context()))
		}
		noError(t, p.ProveDomain(p.from(homeAddress), p.office("sur"), provenHost))
		p.wantDomain(provenHost, true)
		if s.count() != asked {
			t.Error("DNS was asked")
		}
	})
	eachProven(t, func(t *testing.T, p *platform, s *nameServer, _ portal.Domain) {
		p.lapse(s)
		noError(t, p.RemoveDomain(p.from(homeAddress), p.office("sur"), provenHost))
		if all, err := p.Domains(t.Context(), p.office("sur")); err != nil || len(all) != 0 {
			t.Errorf("%+v, %v", all, err)
		}
	})
}

func TestOneProcessLooksDomainsUpAndAnotherTakesOver(t *testing.T) {
	eachProven(t, func(t *testing.T, p *platform, s *nameServer, _ portal.Domain) {
		other, err := portal.New(p.options)
		noError(t, err)
		p.clock.advance(24 * time.Hour)
		before := s.count()
		noError(t, p.CheckDomains(t.Context()))
		p.clock.advance(24 * time.Hour) // the lease of the first has ended
		noError(t, other.CheckDomains(t.Context()))
		if s.count() != before+2 {
			t.Errorf("asked %d times in two days", s.count()-before)
		}
		p.clock.advance(24*time.Hour - time.Second)
		noError(t, other.CheckDomains(t.Context())) // nothing is due, but the lease is its own again
		p.clock.advance(time.Second)
		noError(t, p.CheckDomains(t.Context()))
		if s.count() != before+2 {
			t.Error("two processes look up at once")
		}
		noError(t, other.CheckDomains(t.Context()))
		if s.count() != before+3 {
			t.Error("the one that holds the lease does not")
		}
	})
}

func TestAStoppedCheckLearnsNothing(t *testing.T) {
	eachProven(t, func(t *testing.T, p *platform, s *nameServer, _ portal.Domain) {
		s.set(func(s *nameServer) { clear(s.records) })
		for range 2 {
			p.clock.advance(24 * time.Hour)
			noError(t, p.CheckDomains(t.Context()))
		}
		s.set(func(s *nameServer) { s.silent = true })
		p.clock.advance(24 * time.Hour)
		ctx, stop := context.WithCancel(t.Context())
		time.AfterFunc(100*time.Millisecond, stop) // while it waits for DNS
		if err := p.CheckDomains(ctx); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		p.wantDomain(provenHost, true)
	})
}

func TestManyDomainsAreLookedUpInOneGo(t *testing.T) {
	eachProven(t, func(t *testing.T, p *platform, s *nameServer, _ portal.Domain) {
		ctx, hosts := p.from(homeAddress), []string{provenHost}
		for _, login := range []string{"sur", "jinsui", "northwind"} {
			here := p.office(login)
			for _, letter := range []string{"a", "b", "c", "d"} {
				host := letter + "." + login + ".com"
				claim := p.claimed(here, host)
				s.publish(claim, claim.Value)
				noError(t, p.ProveDomain(ctx, here, host))
				hosts = append(hosts, host)
			}
		}
		s.set(func(s *nameServer) { delete(s.records, "_portico.b.sur.com.") })
		for range 3 {
			p.clock.advance(24 * time.Hour)
			noError(t, p.CheckDomains(t.Context()))
		}
		var lapsed []string
		for _, host := range hosts {
			if p.place(host).Company == nil {
				lapsed = append(lapsed, host)
			}
		}
		if !slices.Equal(lapsed, []string{"b.sur.com"}) {
			t.Errorf("%q lapsed", lapsed)
		}
	})
}
