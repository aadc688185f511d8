package branding_test

import (
	"context"
	"errors"
	"net"
	"slices"
	"testing"
	"time"

	"portico/portal"
	"portico/portal/access"
	"portico/portal/branding"
	"portico/portal/portaltest"
)

// StartNameServer starts a DNS server on a local port and stops it at the end of the test.
func StartNameServer(t *testing.T) *portaltest.NameServer {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	portaltest.NoError(t, err)
	s := &portaltest.NameServer{Records: map[string][]string{}, Conn: conn}
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.Serve()
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
	t *testing.T, test func(t *testing.T, p *portaltest.Platform, s *portaltest.NameServer, record branding.Domain),
) {
	t.Helper()
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		s := StartNameServer(t)
		p.Restart(func(o *portal.Options) { o.LookUpTXT = s.LookUpTXT })
		here := p.Office("sur")
		record := p.Claimed(here, portaltest.ProvenHost)
		s.Publish(record, record.Value)
		portaltest.NoError(t, p.Branding.ProveDomain(p.From(portaltest.HomeAddress), here, portaltest.ProvenHost))
		portaltest.NoError(
			t, p.Branding.UseDomain(p.From(portaltest.HomeAddress), p.Office("sur"), portaltest.ProvenHost),
		)
		test(t, p, s, record)
	})
}

func TestAProvenDomainIsLookedUpOnceADay(t *testing.T) {
	EachWithProvenDomain(t, func(t *testing.T, p *portaltest.Platform, s *portaltest.NameServer, _ branding.Domain) {
		before := s.Count()
		p.Clock.Advance(24*time.Hour - time.Millisecond)
		portaltest.NoError(t, p.Branding.CheckDomains(t.Context()))
		if s.Count() != before {
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
			if s.Count() != before+day+1 {
				t.Fatalf("asked %d times in %d days", s.Count()-before, day+1)
			}
			p.WantDomain(portaltest.ProvenHost, true)
		}
		if d := p.Domain(p.Office("sur"), portaltest.ProvenHost); !d.Proven || d.Record != "" || !d.LapsesAt.IsZero() {
			t.Errorf("%+v", d)
		}
	})
}

func TestADomainWithoutItsRecordLapsesAfterThreeDays(t *testing.T) {
	for name, goes := range map[string]func(s *portaltest.NameServer){
		"the record is removed": func(s *portaltest.NameServer) { clear(s.Records) },
		"the record is replaced": func(s *portaltest.NameServer) {
			s.Records["_portico."+portaltest.ProvenHost+"."] = []string{"portico=b"}
		},
		"DNS does not answer": func(s *portaltest.NameServer) { s.Silent = true },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			EachWithProvenDomain(t, func(t *testing.T, p *portaltest.Platform, s *portaltest.NameServer,
				record branding.Domain) {
				seen := p.Clock.Now()
				s.Set(goes)
				for range 2 {
					p.Clock.Advance(24 * time.Hour)
					portaltest.NoError(t, p.Branding.CheckDomains(t.Context()))
					p.WantDomain(portaltest.ProvenHost, true)
				}
				missing := p.Domain(p.Office("sur"), portaltest.ProvenHost)
				if !missing.Proven || missing.Value != record.Value ||
					!missing.SeenAt.Equal(seen) || !missing.LapsesAt.Equal(seen.Add(72*time.Hour)) {
					t.Errorf("the record is missing: %+v", missing)
				}
				p.Clock.Advance(24*time.Hour - time.Millisecond)
				portaltest.NoError(t, p.Branding.CheckDomains(t.Context()))
				p.WantDomain(portaltest.ProvenHost, true)
				code := p.Enter(
					p.SignIn(portaltest.AccountHost, "sur"), portaltest.AccountHost, "sur", portaltest.Desktop,
				)
				arrival := p.Arrival(code)
				p.Clock.Advance(time.Millisecond)
				portaltest.NoError(t, p.Branding.CheckDomains(t.Context()))
				p.WantDomain(portaltest.ProvenHost, false)

				_, err := p.Landing.Redeem(p.From(portaltest.HomeAddress), arrival) // issued a moment before
				portaltest.Refused(t, err, access.RedirectFailed)
				_, err = p.Landing.RedeemForClient(p.From(portaltest.HomeAddress), arrival.Code, access.ClientPC, 0)
				portaltest.Refused(t, err, access.LoginRequired)
				if p.Events(1002, "domain_lapsed") != 1 {
					t.Error("not in the audit log")
				}
				lapsed := p.Domain(p.Office("sur"), portaltest.ProvenHost)
				if lapsed.Proven || lapsed.Desktop || lapsed.Record != record.Record || lapsed.Value != record.Value ||
					!lapsed.SeenAt.Equal(seen) || !lapsed.LapsedAt.Equal(seen.Add(72*time.Hour)) {
					t.Errorf("%+v", lapsed)
				}
				asked := s.Count()
				p.Clock.Advance(24 * time.Hour)
				portaltest.NoError(t, p.Branding.CheckDomains(t.Context()))
				if s.Count() != asked {
					t.Error("a domain that lapsed is looked up on")
				}
			})
		})
	}
}

func TestOneLookUpAfterAPauseOfTheProgramEndsNoProof(t *testing.T) {
	EachWithProvenDomain(t, func(t *testing.T, p *portaltest.Platform, s *portaltest.NameServer, _ branding.Domain) {
		s.Set(func(s *portaltest.NameServer) { s.Silent = true })
		p.Clock.Advance(5 * 24 * time.Hour) // nothing was looked up meanwhile
		portaltest.NoError(t, p.Branding.CheckDomains(t.Context()))
		p.WantDomain(portaltest.ProvenHost, true)
		next := p.Clock.Now().Add(24 * time.Hour)
		if d := p.Domain(p.Office("sur"), portaltest.ProvenHost); !d.LapsesAt.Equal(next) {
			t.Errorf("it lapses at %v, want %v", d.LapsesAt, next)
		}
		p.Clock.Advance(24 * time.Hour)
		portaltest.NoError(t, p.Branding.CheckDomains(t.Context()))
		p.WantDomain(portaltest.ProvenHost, false)
	})
}

func TestARecordThatIsBackInTimeKeepsTheDomain(t *testing.T) {
	EachWithProvenDomain(t, func(t *testing.T, p *portaltest.Platform, s *portaltest.NameServer,
		record branding.Domain) {
		s.Set(func(s *portaltest.NameServer) { s.Silent = true })
		for range 2 {
			p.Clock.Advance(24 * time.Hour)
			portaltest.NoError(t, p.Branding.CheckDomains(t.Context()))
		}
		s.Set(func(s *portaltest.NameServer) { s.Silent = false })
		p.Clock.Advance(24 * time.Hour)
		portaltest.NoError(t, p.Branding.CheckDomains(t.Context()))
		s.Set(func(s *portaltest.NameServer) { clear(s.Records) })
		for range 2 { // three days count anew
			p.Clock.Advance(24 * time.Hour)
			portaltest.NoError(t, p.Branding.CheckDomains(t.Context()))
			p.WantDomain(portaltest.ProvenHost, true)
		}
		s.Publish(record, record.Value)
		// An administrator need not wait for the next look-up.
		portaltest.NoError(
			t, p.Branding.ProveDomain(p.From(portaltest.HomeAddress), p.Office("sur"), portaltest.ProvenHost),
		)
		if d := p.Domain(p.Office("sur"), portaltest.ProvenHost); !d.Proven || !d.Desktop || d.Record != "" {
			t.Errorf("%+v", d)
		}
	})
}

func TestALapsedDomainReturnsToTheCompanyWhenProvenAgain(t *testing.T) {
	EachWithProvenDomain(t, func(t *testing.T, p *portaltest.Platform, s *portaltest.NameServer,
		record branding.Domain) {
		p.Lapse(s)
		here, ctx := p.Office("sur"), p.From(portaltest.HomeAddress)
		if DomainProblem(t, p.Branding.ProveDomain(ctx, here, portaltest.ProvenHost)) != access.DomainUnproven {
			t.Error("proven without a record")
		}
		portaltest.Refused(t, p.Branding.UseDomain(ctx, here, portaltest.ProvenHost), access.NotFound)
		// the domain is on the list already
		portaltest.NoError(t, p.Branding.ClaimDomain(ctx, here, portaltest.ProvenHost))
		s.Publish(record, record.Value)
		p.Clock.Advance(24 * time.Hour)
		portaltest.NoError(t, p.Branding.CheckDomains(t.Context()))
		p.WantDomain(portaltest.ProvenHost, false) // the record alone is not enough: its value was public
		portaltest.NoError(t, p.Branding.ProveDomain(ctx, here, portaltest.ProvenHost))
		p.WantDomain(portaltest.ProvenHost, true)
		if all, err := p.Branding.Domains(t.Context(), p.Office("sur")); err != nil || len(all) != 1 {
			t.Errorf("%+v, %v", all, err)
		}
		p.Clock.Advance(24 * time.Hour)
		before := s.Count()
		portaltest.NoError(t, p.Branding.CheckDomains(t.Context()))
		if s.Count() != before+1 {
			t.Error("it is not looked up daily any more")
		}
	})
}

func TestALapsedDomainCanBeProvenByAnotherCompany(t *testing.T) {
	EachWithProvenDomain(t, func(t *testing.T, p *portaltest.Platform, s *portaltest.NameServer, _ branding.Domain) {
		p.Lapse(s)
		here, ctx := p.Office("jinsui"), p.From(portaltest.HomeAddress)
		portaltest.Refused(t, p.Branding.ProveDomain(ctx, here, portaltest.ProvenHost), access.NotFound)
		portaltest.Refused(t, p.Branding.RemoveDomain(ctx, here, portaltest.ProvenHost), access.NotFound)
		claim := p.Claimed(here, portaltest.ProvenHost)
		s.Publish(claim, claim.Value)
		portaltest.NoError(t, p.Branding.ProveDomain(ctx, here, portaltest.ProvenHost))
		if p.Place(portaltest.ProvenHost).CompanyID() != 1001 || p.Company(1001).PCDomain != "" {
			t.Error("it is not the other company's")
		}
		portaltest.Refused(t, p.Branding.ProveDomain(ctx, p.Office("sur"), portaltest.ProvenHost), access.NotFound)
		if all, err := p.Branding.Domains(t.Context(), p.Office("sur")); err != nil || len(all) != 0 {
			t.Errorf("%+v, %v", all, err)
		}
	})
}

func TestALapsedDomainCanBeRemovedOrGivenByTheOperator(t *testing.T) {
	EachWithProvenDomain(t, func(t *testing.T, p *portaltest.Platform, s *portaltest.NameServer, _ branding.Domain) {
		p.Lapse(s)
		portaltest.NoError(t, p.Operator.SetCompany(t.Context(), 1002, "domain", portaltest.ProvenHost))
		p.WantDomain(portaltest.ProvenHost, true)
		asked := s.Count()
		for range 5 { // the operator vouches for it: there is nothing to look up
			p.Clock.Advance(24 * time.Hour)
			portaltest.NoError(t, p.Branding.CheckDomains(t.Context()))
		}
		portaltest.NoError(
			t, p.Branding.ProveDomain(p.From(portaltest.HomeAddress), p.Office("sur"), portaltest.ProvenHost),
		)
		p.WantDomain(portaltest.ProvenHost, true)
		if s.Count() != asked {
			t.Error("DNS was asked")
		}
	})
	EachWithProvenDomain(t, func(t *testing.T, p *portaltest.Platform, s *portaltest.NameServer, _ branding.Domain) {
		p.Lapse(s)
		portaltest.NoError(
			t, p.Branding.RemoveDomain(p.From(portaltest.HomeAddress), p.Office("sur"), portaltest.ProvenHost),
		)
		if all, err := p.Branding.Domains(t.Context(), p.Office("sur")); err != nil || len(all) != 0 {
			t.Errorf("%+v, %v", all, err)
		}
	})
}

func TestOneProcessChecksDomainsAndAnotherTakesOverWhenItStops(t *testing.T) {
	EachWithProvenDomain(t, func(t *testing.T, p *portaltest.Platform, s *portaltest.NameServer, _ branding.Domain) {
		other, err := portal.New(p.Options)
		portaltest.NoError(t, err)
		p.Clock.Advance(24 * time.Hour)
		before := s.Count()
		portaltest.NoError(t, p.Branding.CheckDomains(t.Context()))
		p.Clock.Advance(24 * time.Hour) // the lease of the first has ended
		portaltest.NoError(t, other.Branding.CheckDomains(t.Context()))
		if s.Count() != before+2 {
			t.Errorf("asked %d times in two days", s.Count()-before)
		}
		p.Clock.Advance(24*time.Hour - time.Second)
		// nothing is due, but the lease is its own again
		portaltest.NoError(t, other.Branding.CheckDomains(t.Context()))
		p.Clock.Advance(time.Second)
		portaltest.NoError(t, p.Branding.CheckDomains(t.Context()))
		if s.Count() != before+2 {
			t.Error("two processes look up at once")
		}
		portaltest.NoError(t, other.Branding.CheckDomains(t.Context()))
		if s.Count() != before+3 {
			t.Error("the one that holds the lease does not")
		}
	})
}

func TestAStoppedCheckChangesNothing(t *testing.T) {
	EachWithProvenDomain(t, func(t *testing.T, p *portaltest.Platform, s *portaltest.NameServer, _ branding.Domain) {
		s.Set(func(s *portaltest.NameServer) { clear(s.Records) })
		for range 2 {
			p.Clock.Advance(24 * time.Hour)
			portaltest.NoError(t, p.Branding.CheckDomains(t.Context()))
		}
		s.Set(func(s *portaltest.NameServer) { s.Silent = true })
		p.Clock.Advance(24 * time.Hour)
		ctx, stop := context.WithCancel(t.Context())
		time.AfterFunc(100*time.Millisecond, stop) // while it waits for DNS
		if err := p.Branding.CheckDomains(ctx); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		p.WantDomain(portaltest.ProvenHost, true)
	})
}

func TestManyDomainsAreCheckedInOneRun(t *testing.T) {
	EachWithProvenDomain(t, func(t *testing.T, p *portaltest.Platform, s *portaltest.NameServer, _ branding.Domain) {
		ctx, hosts := p.From(portaltest.HomeAddress), []string{portaltest.ProvenHost}
		for _, login := range []string{"sur", "jinsui", "northwind"} {
			here := p.Office(login)
			for _, letter := range []string{"a", "b", "c", "d"} {
				host := letter + "." + login + ".com"
				claim := p.Claimed(here, host)
				s.Publish(claim, claim.Value)
				portaltest.NoError(t, p.Branding.ProveDomain(ctx, here, host))
				hosts = append(hosts, host)
			}
		}
		s.Set(func(s *portaltest.NameServer) { delete(s.Records, "_portico.b.sur.com.") })
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
