package portal_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"portico/portal"
	"portico/store"
)

const (
	ownName     = "Marta Solano"
	ownCompany  = "Ballena Azul"
	seafood     = int64(121)
	groceries   = int64(118)
	agreementV1 = "2026-09-01"
)

// registering is a registration of a company in a browser of its own.
func (p *carer) registering(phone, code, flow string) portal.RegisterInput {
	p.t.Helper()
	return portal.RegisterInput{
		Phone: phone, Code: code, Password: newPassword, Name: ownName, CompanyName: ownCompany, Agree: true,
		Flow: flow, Version: agreementV1, Lang: "es", Browser: portal.Browser{Place: p.place(accountHost)},
	}
}

func (p *carer) register(in portal.RegisterInput) (portal.Registered, error) {
	return p.Register(p.from(homeAddress), in)
}

// registered is a company that a phone has just registered, with what was shown for it.
func (p *carer) registered(phone string) (portal.Registered, portal.RegisterInput) {
	p.t.Helper()
	in := p.registering(phone, "", portal.NewFlow())
	in.Code = p.sent(p.asking(portal.ForRegister, phone, in.Flow))
	result, err := p.register(in)
	noError(p.t, err)
	return result, in
}

// adding is a further company of someone who is signed in.
func (p *carer) adding(s portal.Session, company string) portal.RegisterInput {
	p.t.Helper()
	in := p.registering("", "", "")
	in.Session, in.CompanyName, in.Password = s, company, ""
	return in
}

// trying is a sandbox to be opened.
func (p *carer) trying(phone, code, flow string, industry int64) portal.ExperienceInput {
	p.t.Helper()
	return portal.ExperienceInput{
		Phone: phone, Code: code, Industry: industry, Agree: true, Names: portal.SandboxNames{Company: "试用公司", Person: "我", Customer: "试用客户"},
		Flow: flow, Version: agreementV1, Lang: "zh", Browser: portal.Browser{Place: p.place(accountHost)},
	}
}

func (p *carer) try(in portal.ExperienceInput) (portal.Experience, error) {
	return p.OpenExperience(p.from(homeAddress), in)
}

// tried is a sandbox that a phone has just opened in a browser of its own, with what was shown for it.
func (p *carer) tried(phone string, industry int64) (portal.Experience, portal.ExperienceInput) {
	p.t.Helper()
	in := p.trying(phone, "", portal.NewFlow(), industry)
	in.Code = p.sent(p.asking(portal.ForExperience, phone, in.Flow))
	result, err := p.try(in)
	noError(p.t, err)
	return result, in
}

// role takes a session to a side of its sandbox.
func (p *carer) role(s portal.Session, role string, samples bool) store.Member {
	p.t.Helper()
	m, err := p.ChooseRole(p.from(homeAddress), portal.RoleInput{Role: role, Import: samples, Session: s})
	noError(p.t, err)
	return m
}

// visit is a browser on a landing page.
type visit struct {
	portal.Landing
	destination portal.Destination
	token       string
}

// visits enters an account of a session and goes all the way to the landing page.
func (p *carer) visits(s portal.Session, m store.Member) visit {
	p.t.Helper()
	destination, err := p.Enter(p.from(homeAddress), portal.EnterInput{Session: s, AccountID: m.ID, Place: p.place(accountHost), Device: phoneScreen})
	noError(p.t, err)
	return p.arrives(destination)
}

func (p *carer) arrives(destination portal.Destination) visit {
	p.t.Helper()
	redeemed, err := p.redeem(destination, "")
	noError(p.t, err)
	landing, err := p.landing(destination, redeemed.Token)
	noError(p.t, err)
	return visit{landing, destination, redeemed.Token}
}

// rows is the whole database but for the tables named, to see that nothing was changed.
func (p *platform) rows(but ...string) string {
	p.t.Helper()
	dump, err := p.db.Dump(p.t.Context())
	noError(p.t, err)
	var kept []string
	for line := range strings.Lines(dump) {
		if table, _, _ := strings.Cut(line, " "); !slices.Contains(but, table) {
			kept = append(kept, line)
		}
	}
	slices.Sort(kept)
	return strings.Join(kept, "")
}

// counted are the numbers of rows of all tables but those named.
func (p *platform) counted(but ...string) string {
	p.t.Helper()
	counts, err := p.db.RowCounts(p.t.Context())
	noError(p.t, err)
	words := strings.Fields(counts)
	return strings.Join(slices.DeleteFunc(words, func(word string) bool {
		table, _, _ := strings.Cut(word, "=")
		return slices.Contains(but, table)
	}), " ")
}

// tally is what is counted and sent while proofs are tried, whatever comes of them.
var tally = []string{"codes", "attempts"}

// companies counts all there are.
func (p *platform) companies() int {
	p.t.Helper()
	all, err := p.db.ListCompanies(p.t.Context())
	noError(p.t, err)
	return len(all)
}

func (p *platform) company(id int64) store.Company {
	p.t.Helper()
	c, err := p.db.CompanyByID(p.t.Context(), id)
	noError(p.t, err)
	return c
}

// membersOf are the accounts of a phone.
func (p *platform) membersOf(number string) []store.Member {
	p.t.Helper()
	members, err := p.db.MembersByPhone(p.t.Context(), phoneOf(p.t, p.db, number).ID)
	noError(p.t, err)
	return members
}

// offersIn are the accounts that a company offers to a number.
func (p *platform) offersIn(company int64, number string) []store.Member {
	p.t.Helper()
	offers, err := p.db.OffersIn(p.t.Context(), company, phoneOf(p.t, p.db, number).ID)
	noError(p.t, err)
	return offers
}

// founded is a company that waits to be initialised, with an administrator of its own, made without their registration.
func (p *platform) founded(lang string) store.Member {
	p.t.Helper()
	ctx, now := p.t.Context(), store.At(p.clock.now())
	id, err := p.db.AddCompany(ctx, store.Company{Name: ownCompany, Language: lang, Standing: store.Trial, EndsAt: now + 1e9, Mall: store.MallOpen, CreatedAt: now, UpdatedAt: now})
	noError(p.t, err)
	phone, err := p.db.AddPhone(ctx, store.Phone{Phone: fmt.Sprintf("139%08d", id), CreatedAt: now})
	noError(p.t, err)
	account, err := p.db.AddAccount(ctx, store.Account{
		CompanyID: id, Side: store.Mgr, Type: store.TypeAdministrator, Login: fmt.Sprintf("founder%d", id), PhoneID: phone, State: store.AccountActive, CreatedAt: now,
	})
	noError(p.t, err)
	m, err := p.db.MemberByID(ctx, id, account)
	noError(p.t, err)
	return m
}

// customerOf adds a customer of a company with a shop account.
func (p *platform) customerOf(company int64) store.Member {
	p.t.Helper()
	ctx, now := p.t.Context(), store.At(p.clock.now())
	client, err := p.db.NewClient(ctx, store.Client{CompanyID: company, Name: "Casa Pepa", State: store.ClientPartner, CreatedAt: now})
	noError(p.t, err)
	id, err := p.db.AddAccount(ctx, store.Account{
		CompanyID: company, Side: store.Shop, Type: store.TypeShop, Login: fmt.Sprintf("buyer.%d", client), ClientID: client, State: store.AccountActive, CreatedAt: now,
	})
	noError(p.t, err)
	m, err := p.db.MemberByID(ctx, company, id)
	noError(p.t, err)
	return m
}

// at reads an account anew and stands on its landing page.
func (p *platform) at(m store.Member) portal.Landing {
	p.t.Helper()
	fresh, err := p.db.MemberByID(p.t.Context(), m.CompanyID, m.ID)
	noError(p.t, err)
	return portal.Landing{Member: fresh}
}

// sessionOf is a session of the phone of an account.
func sessionOf(m store.Member) portal.Session { return portal.Session{ID: "s", PhoneID: m.PhoneID} }

// together runs something so many times at once.
func together(n int, run func(i int)) {
	var group sync.WaitGroup
	for i := range n {
		group.Go(func() { run(i) })
	}
	group.Wait()
}

// field demands that one field alone is refused, for a reason.
func field(t *testing.T, err error, name string, want portal.Problem) {
	t.Helper()
	if with := refused(t, err, portal.ValidationFailed); len(with.Fields) != 1 || with.Fields[name] != want {
		t.Errorf("got %v, want %s: %s", with.Fields, name, want)
	}
}

// unproven says whether a code was not taken.
func unproven(err error) bool {
	return errors.Is(err, portal.CodeWrong) || errors.Is(err, portal.CodeExpired)
}

func TestNothingSecretOfTheWayInIsWrittenDown(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		registered, in := p.registered("13900000091")
		in.Code = otherThan(in.Code)
		_, err := p.register(in)
		if !unproven(err) {
			t.Errorf("%v", err)
		}
		tried, trial := p.tried("13900000092", seafood)
		program := p.trying("13900000093", "", "api:APP", seafood)
		program.Client = portal.ClientApp
		program.Code = p.sent(p.asking(portal.ForExperience, program.Phone, program.Flow))
		ticket, err := p.try(program)
		noError(t, err)
		user, err := p.ExperienceUser(p.from(homeAddress), portal.RoleInput{Role: "mgr", Session: p.stored(tried.LoginResult, accountHost)}, portal.ClientApp)
		noError(t, err)
		m := p.invites(1002, "invited", buyerPhone)
		invitation, err := p.Invite(t.Context(), 1002, m.ID)
		noError(t, err)
		complete := p.provenComplete(1002, buyerPhone)
		complete.Invite, complete.Password, complete.Confirm = invitation, "Wrong2026", ""
		_, err = p.complete(complete)
		refused(t, err, portal.WrongPassword)
		complete.Password = portal.DemoPassword
		completed, err := p.complete(complete)
		noError(t, err)
		order, err := p.order(p.landed("buyer1", phoneScreen), p.product(1001).ID, "1", "a.form.of.ones.own")
		noError(t, err)

		dump, err := p.db.Dump(t.Context())
		noError(t, err)
		for what, secret := range map[string]string{
			"flow": in.Flow, "flow of the trial": trial.Flow, "token": registered.Token, "token of the trial": tried.Token, "ticket": ticket.Ticket, "program's token": string(user.Token),
			"invitation": invitation, "token of the set-up": completed.Token, "form": "a.form.of.ones.own", "name of the person": ownName, "name of the company": ownCompany,
		} {
			if strings.Contains(p.log.String(), secret) {
				t.Errorf("the %s is in the log", what)
			}
			if !strings.HasPrefix(what, "name") && strings.Contains(dump, secret) {
				t.Errorf("the %s is in the database", what)
			}
		}
		if order.Form == "" || p.log.count(`"event":"company_registered"`) != 1 || p.log.count(`"event":"sandbox_opened"`) != 2 || p.log.count(`"event":"account_set_up"`) != 1 {
			t.Error("the log does not tell what happened")
		}
	})
}
