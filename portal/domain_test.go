package portal_test

import (
	"context"
	"errors"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"portico/portal"
	"portico/store"
)

// dns answers look-ups of TXT records as tests say.
type dns struct {
	mu      sync.Mutex
	records map[string][]string
	asked   []string
	hangs   bool
}

func (d *dns) lookUp(ctx context.Context, name string) ([]string, error) {
	d.mu.Lock()
	d.asked = append(d.asked, name)
	texts, hangs := d.records[name], d.hangs
	d.mu.Unlock()
	if hangs {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	if texts == nil {
		return nil, &net.DNSError{Err: "no such host", Name: name, IsNotFound: true}
	}
	return texts, nil
}

func (d *dns) publish(name string, texts ...string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.records[name] = texts
}

// eachDNS runs a test on platforms that ask a DNS of its own.
func eachDNS(t *testing.T, test func(t *testing.T, p *platform, d *dns), change ...func(*portal.Options)) {
	t.Helper()
	each(t, func(t *testing.T, p *platform) {
		d := &dns{records: map[string][]string{}}
		p.restart(append(change, func(o *portal.Options) { o.LookUpTXT = d.lookUp })...)
		test(t, p, d)
	})
}

func (p *platform) office(login string) portal.Landing { return p.at(p.account(login)) }

// claimed is the claim of a host, as its company sees it.
func (p *platform) claimed(here portal.Landing, host string) portal.Domain {
	p.t.Helper()
	noError(p.t, p.ClaimDomain(p.from(homeAddress), here, host))
	return p.domain(here, host)
}

func (p *platform) domain(here portal.Landing, host string) portal.Domain {
	p.t.Helper()
	all, err := p.Domains(p.t.Context(), here)
	noError(p.t, err)
	for _, d := range all {
		if d.Host == host {
			return d
		}
	}
	return portal.Domain{}
}

// problem is what was wrong with the field of a domain.
func problem(t *testing.T, err error) portal.Problem {
	t.Helper()
	return refused(t, err, portal.ValidationFailed).Fields["domain"]
}

func TestADomainIsTheCompanysOnceDNSProvesIt(t *testing.T) {
	eachDNS(t, func(t *testing.T, p *platform, d *dns) {
		here, ctx := p.office("sur"), p.from(homeAddress)
		noError(t, p.ClaimDomain(ctx, here, " Tienda.Mariscos-Sur.com "))
		claim := p.domain(here, "tienda.mariscos-sur.com")
		if claim.Host != "tienda.mariscos-sur.com" || claim.Record != "_portico.tienda.mariscos-sur.com" || !strings.HasPrefix(claim.Value, "portico=") || len(claim.Value) < 40 || claim.Proven {
			t.Fatalf("%+v", claim)
		}
		if place := p.place(claim.Host); place.Company != nil {
			t.Error("it is served before it is proven")
		}
		if problem(t, p.ProveDomain(ctx, here, claim.Host)) != portal.DomainUnproven {
			t.Error("no record is a proof")
		}
		for _, wrong := range []string{"", "portico=", "portico=" + strings.Repeat("a", 32), claim.Value + "x", strings.ToUpper(claim.Value), strings.TrimPrefix(claim.Value, "portico=")} {
			d.publish(claim.Record, "v=spf1 -all", wrong)
			if problem(t, p.ProveDomain(ctx, here, claim.Host)) != portal.DomainUnproven {
				t.Errorf("%q is a proof", wrong)
			}
		}
		d.publish(claim.Record, "v=spf1 -all", claim.Value)
		noError(t, p.ProveDomain(ctx, here, claim.Host))
		noError(t, p.ProveDomain(ctx, here, claim.Host))
		if got := p.domain(here, claim.Host); !got.Proven || got.Value != "" {
			t.Errorf("%+v", got)
		}
		if place := p.place(claim.Host); place.Company == nil || place.Company.ID != 1002 {
			t.Errorf("%+v", place)
		}
		if p.events(1002, "domain_claimed") != 1 || p.events(1002, "domain_verified") != 1 {
			t.Error("not in the audit log")
		}
		for _, name := range d.asked {
			if name != claim.Record {
				t.Errorf("DNS was asked for %s", name)
			}
		}
	})
}

func TestWhatIsNoHostOfACompanysOwnIsRefused(t *testing.T) {
	cases := map[portal.Problem][]string{
		portal.DomainRequired: {"", "  "},
		portal.DomainMalformed: {
			"shop", "https://shop.acme.com", "shop.acme.com/", "shop.acme.com/path", "shop.acme.com:443", "shop.acme.com?x", "shop.acme.com#x", "a@shop.acme.com",
			"127.0.0.1", "[::1]", "::1", "2130706433", "0x7f.0.0.1", "10.1", "shop.acme.1", "*.acme.com", "*", "shop..acme.com", ".acme.com", "acme.com.",
			"-a.acme.com", "a-.acme.com", "a_b.acme.com", "shop acme.com", "shop.acme.com\r\nX: y", "shop.acme.com\n", "\tshop.acme.com", "shop.acme.com\x00",
			"xn--jnsui-eva.com", "shop.xn--fiqs8s", "ab--cd.com", "金穗.com", "jinsuı.com", "ac\u212ae.com", "shop\u200b.acme.com", "shop.acme.c",
			strings.Repeat("a", 64) + ".com", strings.Repeat("a.", 127) + "com", strings.Repeat("a", 5000) + ".com",
		},
		portal.DomainOurs: {"portico.test", "store1001.portico.test", "evil.portico.test", "PORTICO.test", "portico.test.evil.com", "a.portico.test.evil.com"},
		portal.DomainReserved: {
			"shop.example", "shop.invalid", "a.onion", "1.0.0.127.in-addr.arpa", "router.home", "printer.lan",
		},
	}
	local := []string{"a.localhost", "shop.local", "shop.internal", "shop.test"}
	eachDNS(t, func(t *testing.T, p *platform, d *dns) {
		here, before := p.office("sur"), p.rows()
		for want, hosts := range cases {
			for _, host := range hosts {
				if got := problem(t, p.ClaimDomain(t.Context(), here, host)); got != want {
					t.Errorf("%q is %s, want %s", host, got, want)
				}
			}
		}
		for _, host := range append(local, "shop.acme.com", "x1.acme.co") {
			refused(t, p.ProveDomain(t.Context(), here, host), portal.NotFound)
			refused(t, p.RemoveDomain(t.Context(), here, host), portal.NotFound)
			refused(t, p.UseDomain(t.Context(), here, host), portal.NotFound)
		}
		if p.rows() != before || len(d.asked) != 0 {
			t.Error("something was written, or DNS asked")
		}
		for _, host := range local {
			p.claimed(here, host)
		}
		p.restart(production)
		if got := problem(t, p.ClaimDomain(t.Context(), here, "other.test")); got != portal.DomainReserved {
			t.Errorf("in production: %s", got)
		}
	})
}

func TestAHostIsOneCompanysAtATime(t *testing.T) {
	eachDNS(t, func(t *testing.T, p *platform, d *dns) {
		const host = "shop.acme.com"
		ours, theirs, ctx := p.office("jinsui"), p.office("sur"), p.from(homeAddress)
		first, second := p.claimed(ours, host), p.claimed(theirs, host) // either may say so
		if first.Value == second.Value {
			t.Error("one proof for two companies")
		}
		d.publish(first.Record, first.Value)
		if problem(t, p.ProveDomain(ctx, theirs, host)) != portal.DomainUnproven {
			t.Error("another's proof is a proof")
		}
		noError(t, p.ProveDomain(ctx, ours, host))
		d.publish(first.Record, first.Value, second.Value)
		if problem(t, p.ProveDomain(ctx, theirs, host)) != portal.DomainTaken {
			t.Error("it moved")
		}
		if problem(t, p.ClaimDomain(ctx, p.office("trial"), host)) != portal.DomainTaken {
			t.Error("it may be claimed")
		}
		before := p.rows("attempts")
		refused(t, p.UseDomain(ctx, theirs, host), portal.NotFound)
		refused(t, p.RemoveDomain(ctx, p.office("trial"), host), portal.NotFound)
		refused(t, p.ProveDomain(ctx, p.office("trial"), host), portal.NotFound)
		if p.rows("attempts") != before || p.place(host).CompanyID() != 1001 {
			t.Error("something was written")
		}
		noError(t, p.RemoveDomain(ctx, ours, host))
		if p.place(host).Company != nil {
			t.Error("it is still served")
		}
		noError(t, p.ProveDomain(ctx, theirs, host))
		if p.place(host).CompanyID() != 1002 {
			t.Error("it is not free")
		}
		if claim := p.claimed(ours, "other.acme.com"); claim.Value == first.Value {
			t.Error("a proof serves twice")
		}
	})
}

func TestOfTwoWhoProveAHostAtOnceOneHasIt(t *testing.T) {
	eachDNS(t, func(t *testing.T, p *platform, d *dns) {
		const host = "shop.acme.com"
		offices := []portal.Landing{p.office("jinsui"), p.office("sur")}
		d.publish("_portico."+host, p.claimed(offices[0], host).Value, p.claimed(offices[1], host).Value)
		var errs [2]error
		together(2, func(i int) { errs[i] = p.ProveDomain(p.from(homeAddress), offices[i], host) })
		if (errs[0] == nil) == (errs[1] == nil) || p.events(1001, "domain_verified")+p.events(1002, "domain_verified") != 1 {
			t.Errorf("%v, %v", errs[0], errs[1])
		}
	})
}

func TestADNSThatDoesNotAnswerProvesNothingAndHoldsNobodyUp(t *testing.T) {
	d := &dns{records: map[string][]string{}, hangs: true}
	each(t, func(t *testing.T, p *platform) {
		p.restart(func(o *portal.Options) { o.LookUpTXT = d.lookUp })
		here := p.office("sur")
		p.claimed(here, "shop.acme.com")
		began := time.Now()
		if got := problem(t, p.ProveDomain(p.from(homeAddress), here, "shop.acme.com")); got != portal.DomainUnanswered {
			t.Error(got)
		}
		if took := time.Since(began); took < portal.LookUpTime-100*time.Millisecond || took > portal.LookUpTime+3*time.Second {
			t.Errorf("it took %s", took)
		}
		if p.domain(here, "shop.acme.com").Proven {
			t.Error("proven")
		}
	})
}

func TestDomainsAndTheirChecksAreLimited(t *testing.T) {
	eachDNS(t, func(t *testing.T, p *platform, d *dns) {
		here, ctx := p.office("jinsui"), p.from(homeAddress) // has jinsui.test already
		for _, host := range []string{"a.acme.com", "b.acme.com", "c.acme.com", "d.acme.com", "a.acme.com"} {
			noError(t, p.ClaimDomain(ctx, here, host))
		}
		if problem(t, p.ClaimDomain(ctx, here, "e.acme.com")) != portal.DomainsFull {
			t.Error("a sixth")
		}
		for range portal.DomainChecks {
			problem(t, p.ProveDomain(ctx, here, "a.acme.com"))
		}
		with := refused(t, p.ProveDomain(ctx, here, "b.acme.com"), portal.TooManyAttempts)
		if with.Wait <= 0 || len(d.asked) != portal.DomainChecks {
			t.Errorf("%s, %d look-ups", with.Wait, len(d.asked))
		}
		other := p.office("sur")
		p.claimed(other, "a.acme.com")
		if problem(t, p.ProveDomain(ctx, other, "a.acme.com")) != portal.DomainUnproven {
			t.Error("another company is held back")
		}
		p.clock.advance(time.Hour + time.Second)
		if problem(t, p.ProveDomain(ctx, here, "b.acme.com")) != portal.DomainUnproven {
			t.Error("held back for good")
		}
	})
}

func TestAProvenHostServesTheDesktopBackOfficeUntilItGoes(t *testing.T) {
	eachDNS(t, func(t *testing.T, p *platform, _ *dns) {
		here, ctx := p.office("jinsui"), p.from(homeAddress)
		noError(t, p.UseDomain(ctx, here, "jinsui.test"))
		if c := p.company(1001); c.PCDomain != "http://jinsui.test" {
			t.Error(c.PCDomain)
		}
		if !p.domain(p.office("jinsui"), "jinsui.test").Desktop {
			t.Error("it does not say so")
		}
		to := p.enter(p.signIn(accountHost, "jinsui"), accountHost, "jinsui", desktop)
		if !strings.HasPrefix(to.URL, "http://jinsui.test/mgr?auth_code_=") {
			t.Error(to.URL)
		}
		noError(t, p.UseDomain(ctx, here, ""))
		if c := p.company(1001); c.PCDomain != "" {
			t.Error(c.PCDomain)
		}
		noError(t, p.UseDomain(ctx, here, "jinsui.test"))
		noError(t, p.RemoveDomain(ctx, here, "jinsui.test"))
		if c := p.company(1001); c.PCDomain != "" || p.place("jinsui.test").Company != nil {
			t.Error(c.PCDomain)
		}
		claim := p.claimed(here, "jinsui.test")
		refused(t, p.UseDomain(ctx, here, claim.Host), portal.NotFound) // claimed is not proven
		if p.events(1001, "desktop_domain_set") != 3 || p.events(1001, "domain_removed") != 1 {
			t.Error("not in the audit log")
		}
	})
}

func TestOnlyAdministratorsHaveToDoWithDomains(t *testing.T) {
	eachDNS(t, func(t *testing.T, p *platform, d *dns) {
		p.claimed(p.office("jinsui"), "shop.acme.com")
		p.updateCompany(1001, func(c *store.Company) { c.EmployeeRights = "orders customers applications people audit settings" })
		before := p.rows()
		for login, want := range map[string]portal.Refusal{"li.manager": portal.Forbidden, "buyer1": portal.NotFound} {
			here := p.office(login)
			_, err := p.Domains(t.Context(), here)
			refused(t, err, want)
			for _, host := range []string{"shop.acme.com", "jinsui.test", "new.acme.com", "::1"} {
				refused(t, p.ClaimDomain(t.Context(), here, host), want)
				refused(t, p.ProveDomain(t.Context(), here, host), want)
				refused(t, p.UseDomain(t.Context(), here, host), want)
				refused(t, p.RemoveDomain(t.Context(), here, host), want)
			}
		}
		if p.rows() != before || len(d.asked) != 0 {
			t.Error("something was written, or DNS asked")
		}
		p.updateCompany(1001, func(c *store.Company) { c.Sandbox = true })
		if problem(t, p.ClaimDomain(t.Context(), p.office("jinsui"), "new.acme.com")) != portal.NotWhileTrying {
			t.Error("a sandbox claims domains")
		}
	})
}

func TestAFailingResolverIsToldApartFromAMissingRecord(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		p.restart(func(o *portal.Options) {
			o.LookUpTXT = func(context.Context, string) ([]string, error) { return nil, errors.New("refused") }
		})
		here := p.office("sur")
		p.claimed(here, "shop.acme.com")
		if got := problem(t, p.ProveDomain(p.from(homeAddress), here, "shop.acme.com")); got != portal.DomainUnanswered {
			t.Error(got)
		}
	})
}

func TestTheOperatorGivesAndTakesDomains(t *testing.T) {
	eachDNS(t, func(t *testing.T, p *platform, d *dns) {
		set := func(company int64, name, value string) error { return p.SetCompany(t.Context(), company, name, value) }
		p.claimed(p.office("sur"), "shop.test")
		noError(t, set(1002, "domain", "shop.test"))
		if got := p.domain(p.office("sur"), "shop.test"); !got.Proven || p.place("shop.test").CompanyID() != 1002 || len(d.asked) != 0 {
			t.Errorf("%+v", got)
		}
		noError(t, set(1002, "pc_domain", "http://shop.test"))
		before := p.rows()
		for _, value := range []string{"jinsui.test", "portico.test", "https://a.com", "10.0.0.1", ""} {
			if err := set(1002, "domain", value); !errors.Is(err, portal.ErrSetting) {
				t.Errorf("%q: %v", value, err)
			}
		}
		if err := set(1002, "no_domain", "jinsui.test"); !errors.Is(err, portal.ErrSetting) {
			t.Error(err)
		}
		refused(t, set(4711, "domain", "other.test"), portal.NotFound)
		if p.rows() != before {
			t.Error("something was written")
		}
		noError(t, set(1002, "no_domain", "shop.test"))
		if p.place("shop.test").Company != nil || p.company(1002).PCDomain != "" {
			t.Error("it is still served")
		}
	})
}

func TestAHostThatIsNoneIsNobodys(t *testing.T) {
	eachDNS(t, func(t *testing.T, p *platform, d *dns) {
		here, ctx, before := p.office("sur"), p.from(homeAddress), p.rows()
		for _, host := range []string{"a\x00.com", "\xff.com", "Tienda.Com", "a.com.", "a.com:80", strings.Repeat("a.", 500)} {
			for _, do := range []func(context.Context, portal.Landing, string) error{p.ProveDomain, p.RemoveDomain, p.UseDomain} {
				if err := do(ctx, here, host); !errors.Is(err, portal.NotFound) {
					t.Errorf("%q: %v", host, err)
				}
			}
		}
		if p.rows() != before || len(d.asked) > 0 {
			t.Error("something changed")
		}
	})
}
