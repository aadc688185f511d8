package portal_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"portico/portal"
	"portico/store"
)

// registersBy is a registration by an identity instead of a password.
func (p *chatter) registersBy(b *browser, ticket, phone string) portal.RegisterInput {
	p.t.Helper()
	in := p.registering(phone, "", b.flow)
	in.Password, in.Ticket, in.Browser = "", ticket, b.browser()
	in.Code = p.sent(p.asking(portal.ForRegister, phone, p.CodeFlow(b.flow, ticket)))
	return in
}

func TestAnIdentityRegistersACompanyWithoutAPassword(t *testing.T) {
	eachChat(t, func(t *testing.T, p *chatter) {
		b := p.browser(accountHost, inWeChat)
		in := p.registersBy(b, b.unknown(portal.WeChat, xiao), newPhone)
		before := p.companies()
		p.wantLinks(0)
		result, err := p.register(in)
		noError(t, err)
		m := result.Member
		if m.Type != store.TypeAdministrator || m.Phone != newPhone || m.PasswordHash != "" || p.hashOfPhone(newPhone) != "" || m.Company.Name != ownCompany {
			t.Errorf("%+v", m.Account)
		}
		if s := p.stored(result.LoginResult, accountHost); s.PhoneID != m.PhoneID || s.ChosenCompanyID != m.CompanyID {
			t.Errorf("%+v", s)
		}
		p.wantLinks(1)
		again, err := p.register(in) // pressed twice
		if err != nil || again.Member.ID != m.ID || p.companies() != before+1 {
			t.Errorf("%+v %v", again.Member.Account, err)
		}
		p.wantLinks(1)
		if s := b.signs(portal.WeChat, xiao); !p.is(s.Session, newPhone) || s.Step.AccountID != m.ID {
			t.Errorf("%+v", s.Step)
		}
		sign := p.as(newPhone)
		sign.Password = newPassword
		_, err = p.login(sign)
		refused(t, err, portal.PasswordNotSet)
		p.clock.advance(portal.DefaultResend)
		flow := portal.NewFlow()
		_, err = p.codeLogin(p.withCode(newPhone, p.sent(p.asking(portal.ForLogin, newPhone, flow)), flow))
		noError(t, err)
		p.recovers(newPhone) // sets a password
		if !p.opens(newPhone, newPassword) {
			t.Error("the password is not the one")
		}
		if p.events(m.CompanyID, "company_registered") != 1 || p.log.count(`"event":"identity_linked"`) != 1 {
			t.Error("the audit log does not tell")
		}
	})
}

func TestPressedTenTimesAtOnceOneCompanyIsRegistered(t *testing.T) {
	eachChat(t, func(t *testing.T, p *chatter) {
		b := p.browser(accountHost, inWeChat)
		in := p.registersBy(b, b.unknown(portal.WeChat, xiao), newPhone)
		before := p.companies()
		together(10, func(int) {
			if result, err := p.register(in); err != nil || result.Member.Phone != newPhone {
				t.Errorf("%+v %v", result.Member.Account, err)
			}
		})
		if p.companies() != before+1 {
			t.Errorf("%d companies", p.companies()-before)
		}
		p.wantLinks(1)
	})
}

func TestARegistrationByAnIdentityIsRefusedWhole(t *testing.T) {
	eachChat(t, func(t *testing.T, p *chatter) {
		p.own(1001)
		b := p.browser(host1001, inWeChat)
		ticket := b.unknown(portal.WeChat, xiao)
		in := p.registersBy(b, ticket, newPhone)
		in.Browser = portal.Browser{Place: p.place(accountHost)}
		other := p.browser(host1001, inWeChat)
		linked := p.registersBy(b, ticket, "13912345679") // whose identity is linked by then
		linked.Browser = in.Browser
		before := p.rows(tally...)
		for name, c := range map[string]struct {
			change func(in *portal.RegisterInput)
			want   error
		}{
			"another browser":           {func(in *portal.RegisterInput) { in.Flow = other.flow }, portal.LoginRequired},
			"no browser":                {func(in *portal.RegisterInput) { in.Flow = "" }, portal.LoginRequired},
			"a made-up ticket":          {func(in *portal.RegisterInput) { in.Ticket = "oOpenId" }, portal.LoginRequired},
			"no ticket and no password": {func(in *portal.RegisterInput) { in.Ticket = "" }, portal.ValidationFailed},
			"a wrong code":              {func(in *portal.RegisterInput) { in.Code = otherThan(in.Code) }, portal.CodeWrong},
			"no name":                   {func(in *portal.RegisterInput) { in.Name = "" }, portal.ValidationFailed},
			"not agreed":                {func(in *portal.RegisterInput) { in.Agree = false }, portal.ValidationFailed},
		} {
			bad := in
			c.change(&bad)
			if _, err := p.register(bad); !errors.Is(err, c.want) {
				t.Errorf("%s: %v", name, err)
			}
		}
		noError(t, p.SetCompany(t.Context(), 1001, "chat", "off"))
		_, err := p.register(in)
		refused(t, err, portal.WeChatFailed)
		noError(t, p.SetCompany(t.Context(), 1001, "chat", "on"))
		if p.rows(append(tally, "companies", "audit_events")...) != withoutTables(before, "companies", "audit_events") {
			t.Error("something was written")
		}
		_, err = p.register(in)
		noError(t, err)
		companies := p.companies()
		_, err = p.register(linked) // the identity signs in the first person
		refused(t, err, portal.WrongParameters)
		if p.companies() != companies {
			t.Error("a company was made")
		}
		if _, err := p.db.PhoneByNumber(t.Context(), "13912345679"); err == nil {
			t.Error("a person was made")
		}
		p.wantLinks(1)
		p.clock.advance(portal.IdentityTicketLife + time.Millisecond)
		late := in
		late.Code = "123456"
		_, err = p.register(late)
		refused(t, err, portal.WeChatExpired)
	})
}

func withoutTables(rows string, tables ...string) string {
	var kept []string
	for line := range strings.Lines(rows) {
		table, _, _ := strings.Cut(line, " ")
		if !strings.Contains(" "+strings.Join(tables, " ")+" ", " "+table+" ") {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "")
}

func TestARegisteredPhoneIsNotRegisteredAgainByAnIdentity(t *testing.T) {
	eachChat(t, func(t *testing.T, p *chatter) {
		b := p.browser(accountHost, inWeChat)
		_, err := p.ask(p.asking(portal.ForRegister, managerPhone, b.flow))
		refused(t, err, portal.PhoneRegistered)
		ticket := b.unknown(portal.WeChat, xiao)
		ask := p.asking(portal.ForRegister, managerPhone, p.CodeFlow(b.flow, ticket))
		ask.Add = true // which sends the code
		in := p.registering(managerPhone, p.sent(ask), b.flow)
		in.Password, in.Ticket = "", ticket
		for _, add := range []bool{false, true} {
			in.Add = add
			_, err = p.register(in)
			refused(t, err, portal.PhoneRegistered)
		}
		signed := p.signIn(accountHost, managerPhone)
		in = p.adding(signed.Session, ownCompany)
		in.Flow, in.Ticket = b.flow, b.unknown(portal.WeChat, xiao)
		_, err = p.register(in) // a session is no proof for a link
		refused(t, err, portal.WrongParameters)
		p.wantLinks(0)
		if len(p.membersOf(managerPhone)) != 1 {
			t.Error("a company was made")
		}
	})
}

func TestAPhoneRegisteredByAnIdentityIsARegisteredOne(t *testing.T) {
	eachChat(t, func(t *testing.T, p *chatter) {
		b := p.browser(accountHost, inWeChat)
		result, err := p.register(p.registersBy(b, b.unknown(portal.WeChat, xiao), newPhone))
		noError(t, err)
		p.clock.advance(portal.DefaultResend)
		_, err = p.ask(p.asking(portal.ForRegister, newPhone, portal.NewFlow()))
		refused(t, err, portal.PhoneRegistered)
		other := p.browser(accountHost, inWeChat)
		ask := p.asking(portal.ForRegister, newPhone, other.flow)
		ask.Add = true
		in := p.registering(newPhone, p.sent(ask), other.flow)
		_, err = p.register(in)
		refused(t, err, portal.PhoneRegistered)
		in.Password, in.Ticket = "", other.unknown(portal.WeChat, someone(2))
		_, err = p.register(in) // the code was not asked for this identity
		refused(t, err, portal.CodeExpired)
		p.wantLinks(1)
		in.Ticket, in.Add, in.Password = "", true, newPassword // a company more, with a first password
		more, err := p.register(in)
		if err != nil || more.Member.CompanyID == result.Member.CompanyID || !p.opens(newPhone, newPassword) {
			t.Errorf("%+v %v", more.Member.Account, err)
		}
		p.wantList(p.stored(more.LoginResult, accountHost), fmt.Sprintf("%d mgr:admin%[1]d", result.Member.CompanyID), fmt.Sprintf("%d mgr:admin%[1]d", more.Member.CompanyID))
	})
}
