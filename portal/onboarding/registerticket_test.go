package onboarding_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/onboarding"
	"portico/portal/portaltest"
	"portico/portal/portaltest/chattest"
	"portico/portal/portaltest/companytest"
	"portico/portal/portaltest/credentialtest"
	"portico/portal/portaltest/onboardingtest"
	"portico/portal/portaltest/sessiontest"
	"portico/portal/signin"
	"portico/store"
)

func TestAnIdentityRegistersACompanyWithoutAPassword(t *testing.T) {
	chattest.EachWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		b := p.Browser(portaltest.AccountHost, chattest.InWeChat)
		in := p.RegisterInput(b, b.UnknownTicket(access.WeChat, chattest.Xiao), portaltest.NewPhone)
		before := companytest.CountCompanies(p.Platform)
		p.WantLinks(0)
		result, err := onboardingtest.Register(p.SMSPlatform, in)
		portaltest.NoError(t, err)
		m := result.Member
		if m.Type != store.TypeAdministrator || m.Phone != portaltest.NewPhone || m.PasswordHash != "" ||
			passwordHashOf(p.Platform, portaltest.NewPhone) != "" || m.Company.Name != onboardingtest.CompanyName {
			t.Errorf("%+v", m.Account)
		}
		if s := sessiontest.StoredSession(
			p.Platform, result.LoginResult, portaltest.AccountHost,
		); s.PersonID != m.PersonID ||
			s.ChosenCompanyID != m.CompanyID {
			t.Errorf("%+v", s)
		}
		p.WantLinks(1)
		again, err := onboardingtest.Register(p.SMSPlatform, in) // pressed twice
		if err != nil || again.Member.ID != m.ID || companytest.CountCompanies(p.Platform) != before+1 {
			t.Errorf("%+v %v", again.Member.Account, err)
		}
		p.WantLinks(1)
		if s := b.SignIn(access.WeChat, chattest.Xiao); !p.BelongsTo(s.Session, portaltest.NewPhone) ||
			s.Step.AccountID != m.ID {
			t.Errorf("%+v", s.Step)
		}
		sign := p.LoginInput(portaltest.NewPhone)
		sign.Password = portaltest.NewPassword
		_, err = p.Login(sign)
		portaltest.Refused(t, err, access.PasswordNotSet)
		p.Clock.Advance(core.DefaultResend)
		flow := core.NewFlow()
		_, err = p.CodeLogin(p.CodeLoginInput(
			portaltest.NewPhone, p.ReceiveCode(p.CodeRequest(core.ForLogin, portaltest.NewPhone, flow)), flow,
		))
		portaltest.NoError(t, err)
		credentialtest.RecoverPassword(p.SMSPlatform, portaltest.NewPhone) // sets a password
		if !credentialtest.AcceptsPassword(p.SMSPlatform, portaltest.NewPhone, portaltest.NewPassword) {
			t.Error("the password is not the one")
		}
		if p.CountEvents(m.CompanyID, "company_registered") != 1 || p.Log.Count(`"event":"identity_linked"`) != 1 {
			t.Error("the audit log does not tell")
		}
	})
}

func TestTenConcurrentRegistrationsByATicketMakeOneCompany(t *testing.T) {
	chattest.EachWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		b := p.Browser(portaltest.AccountHost, chattest.InWeChat)
		in := p.RegisterInput(b, b.UnknownTicket(access.WeChat, chattest.Xiao), portaltest.NewPhone)
		before := companytest.CountCompanies(p.Platform)
		portaltest.Together(10, func(int) {
			if result, err := onboardingtest.Register(p.SMSPlatform, in); err != nil ||
				result.Member.Phone != portaltest.NewPhone {
				t.Errorf("%+v %v", result.Member.Account, err)
			}
		})
		if companytest.CountCompanies(p.Platform) != before+1 {
			t.Errorf("%d companies", companytest.CountCompanies(p.Platform)-before)
		}
		p.WantLinks(1)
	})
}

func TestARefusedRegistrationByAnIdentityChangesNothing(t *testing.T) {
	chattest.EachWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		p.UseOwnWeChat(1001)
		b := p.Browser(chattest.Host1001, chattest.InWeChat)
		ticket := b.UnknownTicket(access.WeChat, chattest.Xiao)
		in := p.RegisterInput(b, ticket, portaltest.NewPhone)
		in.Browser = access.Browser{Place: p.Place(portaltest.AccountHost)}
		other := p.Browser(chattest.Host1001, chattest.InWeChat)
		linked := p.RegisterInput(b, ticket, "13912345679") // whose identity is linked by then
		linked.Browser = in.Browser
		before := p.DumpRows(TablesOfAttempts...)
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
				func(in *onboarding.RegisterInput) { in.Code = portaltest.WrongCode(in.Code) }, access.CodeWrong,
			},
			"no name":    {func(in *onboarding.RegisterInput) { in.Name = "" }, access.ValidationFailed},
			"not agreed": {func(in *onboarding.RegisterInput) { in.Agree = false }, access.ValidationFailed},
		} {
			bad := in
			c.change(&bad)
			if _, err := onboardingtest.Register(p.SMSPlatform, bad); !errors.Is(err, c.want) {
				t.Errorf("%s: %v", name, err)
			}
		}
		portaltest.NoError(t, p.Operator.SetCompany(t.Context(), 1001, "chat", "off"))
		_, err := onboardingtest.Register(p.SMSPlatform, in)
		portaltest.Refused(t, err, access.WeChatFailed)
		portaltest.NoError(t, p.Operator.SetCompany(t.Context(), 1001, "chat", "on"))
		if p.DumpRows(
			append(TablesOfAttempts, "companies", "audit_events")...) != WithoutTables(
			before,
			"companies",
			"audit_events",
		) {
			t.Error("something was written")
		}
		_, err = onboardingtest.Register(p.SMSPlatform, in)
		portaltest.NoError(t, err)
		companies := companytest.CountCompanies(p.Platform)
		_, err = onboardingtest.Register(p.SMSPlatform, linked) // the identity signs in the first person
		portaltest.Refused(t, err, access.WrongParameters)
		if companytest.CountCompanies(p.Platform) != companies {
			t.Error("a company was made")
		}
		if _, err := p.DB.Persons.ByNumber(t.Context(), "13912345679"); err == nil {
			t.Error("a person was made")
		}
		p.WantLinks(1)
		p.Clock.Advance(signin.IdentityTicketLife + time.Millisecond)
		late := in
		late.Code = "123456"
		_, err = onboardingtest.Register(p.SMSPlatform, late)
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
	chattest.EachWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		b := p.Browser(portaltest.AccountHost, chattest.InWeChat)
		_, err := p.AskCode(p.CodeRequest(core.ForRegister, portaltest.ManagerPhone, b.Flow))
		portaltest.Refused(t, err, access.PhoneRegistered)
		ticket := b.UnknownTicket(access.WeChat, chattest.Xiao)
		ask := p.CodeRequest(core.ForRegister, portaltest.ManagerPhone, p.Chatlogin.CodeFlow(b.Flow, ticket))
		ask.Add = true // which sends the code
		in := onboardingtest.RegisterInput(p.SMSPlatform, portaltest.ManagerPhone, p.ReceiveCode(ask), b.Flow)
		in.Password, in.Ticket = "", ticket
		for _, add := range []bool{false, true} {
			in.Add = add
			_, err = onboardingtest.Register(p.SMSPlatform, in)
			portaltest.Refused(t, err, access.PhoneRegistered)
		}
		signed := p.SignIn(portaltest.AccountHost, portaltest.ManagerPhone)
		in = onboardingtest.AddCompanyInput(p.SMSPlatform, signed.Session, onboardingtest.CompanyName)
		in.Flow, in.Ticket = b.Flow, b.UnknownTicket(access.WeChat, chattest.Xiao)
		_, err = onboardingtest.Register(p.SMSPlatform, in) // a session is no proof for a link
		portaltest.Refused(t, err, access.WrongParameters)
		p.WantLinks(0)
		if len(companytest.AccountsOfPhone(p.Platform, portaltest.ManagerPhone)) != 1 {
			t.Error("a company was made")
		}
	})
}

func TestAPhoneRegisteredByAnIdentityCountsAsRegistered(t *testing.T) {
	chattest.EachWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		b := p.Browser(portaltest.AccountHost, chattest.InWeChat)
		result, err := onboardingtest.Register(
			p.SMSPlatform, p.RegisterInput(b, b.UnknownTicket(access.WeChat, chattest.Xiao), portaltest.NewPhone),
		)
		portaltest.NoError(t, err)
		p.Clock.Advance(core.DefaultResend)
		_, err = p.AskCode(p.CodeRequest(core.ForRegister, portaltest.NewPhone, core.NewFlow()))
		portaltest.Refused(t, err, access.PhoneRegistered)
		other := p.Browser(portaltest.AccountHost, chattest.InWeChat)
		ask := p.CodeRequest(core.ForRegister, portaltest.NewPhone, other.Flow)
		ask.Add = true
		in := onboardingtest.RegisterInput(p.SMSPlatform, portaltest.NewPhone, p.ReceiveCode(ask), other.Flow)
		_, err = onboardingtest.Register(p.SMSPlatform, in)
		portaltest.Refused(t, err, access.PhoneRegistered)
		in.Password, in.Ticket = "", other.UnknownTicket(access.WeChat, chattest.Identity(2))
		_, err = onboardingtest.Register(p.SMSPlatform, in) // the code was not asked for this identity
		portaltest.Refused(t, err, access.CodeExpired)
		p.WantLinks(1)
		in.Ticket, in.Add, in.Password = "", true, portaltest.NewPassword // a company more, with a first password
		more, err := onboardingtest.Register(p.SMSPlatform, in)
		if err != nil || more.Member.CompanyID == result.Member.CompanyID ||
			!credentialtest.AcceptsPassword(p.SMSPlatform, portaltest.NewPhone, portaltest.NewPassword) {
			t.Errorf("%+v %v", more.Member.Account, err)
		}
		companytest.WantAccounts(p.Platform,
			sessiontest.StoredSession(p.Platform, more.LoginResult, portaltest.AccountHost),
			fmt.Sprintf("%d mgr:admin%[1]d", result.Member.CompanyID),
			fmt.Sprintf("%d mgr:admin%[1]d", more.Member.CompanyID),
		)
	})
}
