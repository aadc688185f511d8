package onboarding_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"portico/portal/access"
	"portico/portal/onboarding"
	"portico/portal/portaltest"
	"portico/portal/signin"
	"portico/portal/verification"
	"portico/store"
)

func TestAnIdentityRegistersACompanyWithoutAPassword(t *testing.T) {
	portaltest.EachChat(t, func(t *testing.T, p *portaltest.Chatter) {
		b := p.Browser(portaltest.AccountHost, portaltest.InWeChat)
		in := p.RegistersBy(b, b.Unknown(access.WeChat, portaltest.Xiao), portaltest.NewPhone)
		before := p.Companies()
		p.WantLinks(0)
		result, err := p.Register(in)
		portaltest.NoError(t, err)
		m := result.Member
		if m.Type != store.TypeAdministrator || m.Phone != portaltest.NewPhone || m.PasswordHash != "" ||
			p.HashOfPhone(portaltest.NewPhone) != "" || m.Company.Name != portaltest.OwnCompany {
			t.Errorf("%+v", m.Account)
		}
		if s := p.Stored(result.LoginResult, portaltest.AccountHost); s.PhoneID != m.PhoneID ||
			s.ChosenCompanyID != m.CompanyID {
			t.Errorf("%+v", s)
		}
		p.WantLinks(1)
		again, err := p.Register(in) // pressed twice
		if err != nil || again.Member.ID != m.ID || p.Companies() != before+1 {
			t.Errorf("%+v %v", again.Member.Account, err)
		}
		p.WantLinks(1)
		if s := b.Signs(access.WeChat, portaltest.Xiao); !p.Is(s.Session, portaltest.NewPhone) ||
			s.Step.AccountID != m.ID {
			t.Errorf("%+v", s.Step)
		}
		sign := p.As(portaltest.NewPhone)
		sign.Password = portaltest.NewPassword
		_, err = p.Login(sign)
		portaltest.Refused(t, err, access.PasswordNotSet)
		p.Clock.Advance(verification.DefaultResend)
		flow := verification.NewFlow()
		_, err = p.CodeLogin(p.WithCode(
			portaltest.NewPhone, p.Sent(p.Asking(verification.ForLogin, portaltest.NewPhone, flow)), flow,
		))
		portaltest.NoError(t, err)
		p.Recovers(portaltest.NewPhone) // sets a password
		if !p.Opens(portaltest.NewPhone, portaltest.NewPassword) {
			t.Error("the password is not the one")
		}
		if p.Events(m.CompanyID, "company_registered") != 1 || p.Log.Count(`"event":"identity_linked"`) != 1 {
			t.Error("the audit log does not tell")
		}
	})
}

func TestTenConcurrentRegistrationsByATicketMakeOneCompany(t *testing.T) {
	portaltest.EachChat(t, func(t *testing.T, p *portaltest.Chatter) {
		b := p.Browser(portaltest.AccountHost, portaltest.InWeChat)
		in := p.RegistersBy(b, b.Unknown(access.WeChat, portaltest.Xiao), portaltest.NewPhone)
		before := p.Companies()
		portaltest.Together(10, func(int) {
			if result, err := p.Register(in); err != nil || result.Member.Phone != portaltest.NewPhone {
				t.Errorf("%+v %v", result.Member.Account, err)
			}
		})
		if p.Companies() != before+1 {
			t.Errorf("%d companies", p.Companies()-before)
		}
		p.WantLinks(1)
	})
}

func TestARefusedRegistrationByAnIdentityChangesNothing(t *testing.T) {
	portaltest.EachChat(t, func(t *testing.T, p *portaltest.Chatter) {
		p.Own(1001)
		b := p.Browser(portaltest.Host1001, portaltest.InWeChat)
		ticket := b.Unknown(access.WeChat, portaltest.Xiao)
		in := p.RegistersBy(b, ticket, portaltest.NewPhone)
		in.Browser = access.Browser{Place: p.Place(portaltest.AccountHost)}
		other := p.Browser(portaltest.Host1001, portaltest.InWeChat)
		linked := p.RegistersBy(b, ticket, "13912345679") // whose identity is linked by then
		linked.Browser = in.Browser
		before := p.Rows(TablesOfAttempts...)
		for name, c := range map[string]struct {
			change func(in *onboarding.RegisterInput)
			want   error
		}{
			"another browser": {
				func(in *onboarding.RegisterInput) { in.Flow = other.Flow }, access.LoginRequired,
			},
			"no browser": {func(in *onboarding.RegisterInput) { in.Flow = "" }, access.LoginRequired},
			"a made-up ticket": {
				func(in *onboarding.RegisterInput) { in.Ticket = "oOpenId" }, access.LoginRequired,
			},
			"no ticket and no password": {
				func(in *onboarding.RegisterInput) { in.Ticket = "" }, access.ValidationFailed,
			},
			"a wrong code": {
				func(in *onboarding.RegisterInput) { in.Code = portaltest.OtherThan(in.Code) }, access.CodeWrong,
			},
			"no name":    {func(in *onboarding.RegisterInput) { in.Name = "" }, access.ValidationFailed},
			"not agreed": {func(in *onboarding.RegisterInput) { in.Agree = false }, access.ValidationFailed},
		} {
			bad := in
			c.change(&bad)
			if _, err := p.Register(bad); !errors.Is(err, c.want) {
				t.Errorf("%s: %v", name, err)
			}
		}
		portaltest.NoError(t, p.Operator.SetCompany(t.Context(), 1001, "chat", "off"))
		_, err := p.Register(in)
		portaltest.Refused(t, err, access.WeChatFailed)
		portaltest.NoError(t, p.Operator.SetCompany(t.Context(), 1001, "chat", "on"))
		if p.Rows(append(TablesOfAttempts, "companies", "audit_events")...) != WithoutTables(before, "companies",
			"audit_events") {
			t.Error("something was written")
		}
		_, err = p.Register(in)
		portaltest.NoError(t, err)
		companies := p.Companies()
		_, err = p.Register(linked) // the identity signs in the first person
		portaltest.Refused(t, err, access.WrongParameters)
		if p.Companies() != companies {
			t.Error("a company was made")
		}
		if _, err := p.Db.Phones.ByNumber(t.Context(), "13912345679"); err == nil {
			t.Error("a person was made")
		}
		p.WantLinks(1)
		p.Clock.Advance(signin.IdentityTicketLife + time.Millisecond)
		late := in
		late.Code = "123456"
		_, err = p.Register(late)
		portaltest.Refused(t, err, access.WeChatExpired)
	})
}

// WithoutTables returns the lines of rows (one for each table) except those of some tables.
func WithoutTables(rows string, tables ...string) string {
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
	portaltest.EachChat(t, func(t *testing.T, p *portaltest.Chatter) {
		b := p.Browser(portaltest.AccountHost, portaltest.InWeChat)
		_, err := p.Ask(p.Asking(verification.ForRegister, portaltest.ManagerPhone, b.Flow))
		portaltest.Refused(t, err, access.PhoneRegistered)
		ticket := b.Unknown(access.WeChat, portaltest.Xiao)
		ask := p.Asking(verification.ForRegister, portaltest.ManagerPhone, p.Chatlogin.CodeFlow(b.Flow, ticket))
		ask.Add = true // which sends the code
		in := p.Registering(portaltest.ManagerPhone, p.Sent(ask), b.Flow)
		in.Password, in.Ticket = "", ticket
		for _, add := range []bool{false, true} {
			in.Add = add
			_, err = p.Register(in)
			portaltest.Refused(t, err, access.PhoneRegistered)
		}
		signed := p.SignIn(portaltest.AccountHost, portaltest.ManagerPhone)
		in = p.Adding(signed.Session, portaltest.OwnCompany)
		in.Flow, in.Ticket = b.Flow, b.Unknown(access.WeChat, portaltest.Xiao)
		_, err = p.Register(in) // a session is no proof for a link
		portaltest.Refused(t, err, access.WrongParameters)
		p.WantLinks(0)
		if len(p.MembersOf(portaltest.ManagerPhone)) != 1 {
			t.Error("a company was made")
		}
	})
}

func TestAPhoneRegisteredByAnIdentityCountsAsRegistered(t *testing.T) {
	portaltest.EachChat(t, func(t *testing.T, p *portaltest.Chatter) {
		b := p.Browser(portaltest.AccountHost, portaltest.InWeChat)
		result, err := p.Register(p.RegistersBy(b, b.Unknown(access.WeChat, portaltest.Xiao), portaltest.NewPhone))
		portaltest.NoError(t, err)
		p.Clock.Advance(verification.DefaultResend)
		_, err = p.Ask(p.Asking(verification.ForRegister, portaltest.NewPhone, verification.NewFlow()))
		portaltest.Refused(t, err, access.PhoneRegistered)
		other := p.Browser(portaltest.AccountHost, portaltest.InWeChat)
		ask := p.Asking(verification.ForRegister, portaltest.NewPhone, other.Flow)
		ask.Add = true
		in := p.Registering(portaltest.NewPhone, p.Sent(ask), other.Flow)
		_, err = p.Register(in)
		portaltest.Refused(t, err, access.PhoneRegistered)
		in.Password, in.Ticket = "", other.Unknown(access.WeChat, portaltest.Someone(2))
		_, err = p.Register(in) // the code was not asked for this identity
		portaltest.Refused(t, err, access.CodeExpired)
		p.WantLinks(1)
		in.Ticket, in.Add, in.Password = "", true, portaltest.NewPassword // a company more, with a first password
		more, err := p.Register(in)
		if err != nil || more.Member.CompanyID == result.Member.CompanyID ||
			!p.Opens(portaltest.NewPhone, portaltest.NewPassword) {
			t.Errorf("%+v %v", more.Member.Account, err)
		}
		p.WantList(
			p.Stored(more.LoginResult, portaltest.AccountHost),
			fmt.Sprintf("%d mgr:admin%[1]d", result.Member.CompanyID),
			fmt.Sprintf("%d mgr:admin%[1]d", more.Member.CompanyID),
		)
	})
}
