package signin_test

import (
	"errors"
	"testing"
	"time"

	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/portaltest"
	"portico/portal/portaltest/chattest"
	"portico/portal/portaltest/companytest"
	"portico/portal/portaltest/sessiontest"
	"portico/portal/signin"
	"portico/store"
)

func TestABlockedAccountIsNotEnteredByAnIdentity(t *testing.T) {
	chattest.EachWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		b := p.Browser(portaltest.AccountHost, chattest.InWeChat)
		for i, c := range []struct {
			phone string
			want  access.Refusal
		}{
			{"13800000004", access.UnderReview}, {"13800000005", access.AccountDisabled},
			{"13800000006", access.PartnerEnded}, {"13800000007", access.CompanyDisabled},
			{"13800000008", access.TrialEnded}, {"13800000009", access.CompanyExpired},
			{"13800000010", access.MallNotOpen}, {portaltest.UnboundPhone, access.PhoneNotBound},
		} {
			p.AddLink(chattest.Identity(i), c.phone)
			_, byPassword := p.Login(p.LoginInput(c.phone))
			want := portaltest.Refused(t, byPassword, c.want)
			_, err := b.Authorise(access.WeChat, chattest.Identity(i))
			with := portaltest.Refused(t, err, c.want)
			if (with.Company == nil) != (want.Company == nil) || len(with.Contacts) != len(want.Contacts) ||
				len(with.Contacts) == 0 {
				t.Errorf("%s: %+v, by the password %+v", c.phone, with, want)
			}
			_, err = b.ConfirmSignIn(b.AskConfirmation(access.WeChat, chattest.Identity(i)).ConfirmToken)
			portaltest.Refused(t, err, c.want)
		}
		if p.CountEvents(1001, "sign_in")+p.CountEvents(0, "sign_in") != 0 {
			t.Error("a person was signed in")
		}
	})
}

func TestASignInByAnIdentityLeadsWhereThePasswordLeads(t *testing.T) {
	chattest.EachWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		for i, account := range []string{portaltest.BuyerPhone, portaltest.ManagerPhone, portaltest.ManyPhone,
			portaltest.BothPhone, "nophone", "li.shop", "northwind"} {
			p.AddLink(chattest.Identity(i), account)
			b := p.Browser(portaltest.AccountHost, chattest.InWeChat)
			result, want := b.SignIn(access.WeChat, chattest.Identity(i)), p.SignIn(portaltest.AccountHost, account)
			if result.Step != want.Step || result.Session.PersonID != want.Session.PersonID ||
				result.Session.AccountID != want.Session.AccountID {
				t.Errorf("%s: %+v, by the password %+v", account, result.Step, want.Step)
			}
			companytest.WantAccounts(
				p.Platform,
				sessiontest.StoredSession(p.Platform, result, portaltest.AccountHost),
				companytest.DescribeAccounts(companytest.ListAccounts(p.Platform, want.Session))...)
		}
		p.AddLink(chattest.Identity(20), portaltest.ManyPhone)
		signed := p.SignIn(portaltest.AccountHost, portaltest.ManyPhone)
		_, err := p.Accounts.ChooseCompany(
			t.Context(), signin.ChooseCompanyInput{Session: signed.Session, CompanyID: 1003, Default: true},
		)
		portaltest.NoError(t, err)
		result := p.Browser(portaltest.AccountHost, chattest.InWeChat).SignIn(access.WeChat, chattest.Identity(20))
		if want := (signin.Step{Kind: signin.StepEnter, CompanyID: 1003,
			AccountID: p.Account("li.lights").ID}); result.Step != want {
			t.Errorf("with a default company: %+v", result.Step)
		}
	})
}

func TestAtACompanyAnIdentityEntersOnlyAccountsOfTheCompany(t *testing.T) {
	chattest.OnSQLiteWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		p.AddLink(chattest.Xiao, portaltest.ManyPhone)
		result := p.Browser(chattest.Host1002, chattest.InWeChat).SignIn(access.WeChat, chattest.Xiao)
		if want := (signin.Step{Kind: signin.StepEnter, CompanyID: 1002,
			AccountID: p.Account("sur").ID}); result.Step != want ||
			result.Session.CompanyID != 1002 {
			t.Errorf("%+v", result.Step)
		}
		companytest.WantAccounts(
			p.Platform, sessiontest.StoredSession(p.Platform, result, chattest.Host1002), "1002 mgr:sur",
		)
		p.AddLink(chattest.Identity(2), portaltest.BuyerPhone)
		_, err := p.Browser(chattest.Host1002, chattest.InWeChat).Authorise(access.WeChat, chattest.Identity(2))
		portaltest.Refused(t, err, access.NotInCompany)
		p.AddLink(chattest.Identity(3), "nophone")
		_, err = p.Browser(chattest.Host1002, chattest.InWeChat).Authorise(access.WeChat, chattest.Identity(3))
		portaltest.Refused(t, err, access.NotInCompany)
	})
}

func TestASignInByAnIdentityKeepsTheLightingEdition(t *testing.T) {
	chattest.OnSQLiteWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		p.AddLink(chattest.Xiao, portaltest.ManyPhone)
		p.AddLink(chattest.Identity(2), portaltest.BuyerPhone)
		b := p.Browser(portaltest.AccountHost, chattest.InWeChat)
		come := func(who signin.ProviderIdentity) (signin.Callback, error) {
			address, err := p.Chatlogin.BeginAuthorisation(b.Context(), signin.BeginAuthorisationInput{
				Provider: access.WeChat,
				Place:    p.Place(b.Host),
				Agent:    b.Agent,
				Mobile:   true,
				Flow:     b.Flow,
				Lighting: true,
				Width:    390,
			})
			portaltest.NoError(t, err)
			w := chattest.ParseAuthorisation(t, access.WeChat, address)
			return b.Finish(w, p.Wechat.Grant(w.App, who))
		}
		back, err := come(chattest.Xiao)
		portaltest.NoError(t, err)
		if s := sessiontest.StoredSession(p.Platform, *back.Login, portaltest.AccountHost); !s.Lighting ||
			s.Width != 390 ||
			back.Login.Step.AccountID != p.Account("li.lights").ID {
			t.Errorf("%+v, %+v", s, back.Login.Step)
		}
		_, err = come(chattest.Identity(2))
		portaltest.Refused(t, err, access.LightingNotEnabled)
		for i, want := range map[int]access.Refusal{3: "", 4: access.LightingNotEnabled} { // linked on the way
			back, err := come(chattest.Identity(i))
			portaltest.NoError(t, err)
			l, err := b.ProveLink(
				b.LinkInput(back.Ticket, map[int]string{3: portaltest.ManyPhone, 4: portaltest.BuyerPhone}[i]),
			)
			if want != "" {
				portaltest.Refused(t, err, want)
				continue
			}
			portaltest.NoError(t, err)
			result, err := b.ConfirmLink(l)
			portaltest.NoError(t, err)
			if s := sessiontest.StoredSession(p.Platform, result, portaltest.AccountHost); !s.Lighting {
				t.Errorf("linked: %+v", s)
			}
		}
	})
}

func TestASessionByAnIdentityBehavesLikeAnyOther(t *testing.T) {
	chattest.EachWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		p.AddLink(chattest.Xiao, portaltest.BuyerPhone)
		b := p.Browser(portaltest.AccountHost, chattest.InWeChat)
		first := b.SignIn(access.WeChat, chattest.Xiao)
		b.Old = first.Token
		p.Clock.Advance(time.Hour)
		second := b.SignIn(access.WeChat, chattest.Xiao)
		if first.Token == second.Token || first.Session.Family == second.Session.Family || first.Device == "" {
			t.Error("it is the same session")
		}
		portaltest.Refused(t, p.RequestSignedIn(first.Token, portaltest.AccountHost), access.LoginRequired) // replaced
		s := sessiontest.StoredSession(p.Platform, second, portaltest.AccountHost)
		if s.Remember || s.EndsAt != store.At(p.Clock.In(core.AccountLife)) ||
			s.Agent != Cut(chattest.InWeChat, 200) ||
			s.Address != b.Address {
			t.Errorf("%+v", s)
		}
		if p.CountEvents(0, "sign_in") != 2 || p.Log.Count(`"event":"sign_in"`, `"detail":"wechat"`) != 2 {
			t.Error("the audit log does not tell")
		}
		list, err := p.Chatlogin.Identities(t.Context(), s)
		if err != nil || len(list) != 1 {
			t.Errorf("%+v %v", list, err)
		}
	})
}

// Cut returns the first n bytes of s.
func Cut(s string, n int) string { return s[:min(n, len(s))] }

func TestAnIdentityOfARemovedPersonIsUnknownAgain(t *testing.T) {
	chattest.EachWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		now := store.At(p.Clock.Now())
		for _, gone := range []store.Identity{{Subject: "oGone1", PersonID: 987654},
			{Subject: "oGone2", AccountID: 987654}} {
			gone.Provider, gone.App, gone.LinkedAt, gone.UsedAt = "wechat", chattest.PlatformAccount, now, now
			portaltest.NoError(t, p.DB.Identities.Link(t.Context(), gone, store.Identity{}))
			b := p.Browser(portaltest.AccountHost, chattest.InWeChat)
			b.Link(access.WeChat, signin.ProviderIdentity{Subject: gone.Subject}, portaltest.BuyerPhone)
			if result := b.SignIn(access.WeChat, signin.ProviderIdentity{Subject: gone.Subject}); !p.BelongsTo(
				result.Session, portaltest.BuyerPhone,
			) {
				t.Errorf("%+v", result.Session)
			}
		}
		p.WantLinks(2)
	})
}

func TestAnIdentityUnlinkedDuringItsCallbackIsNotSignedIn(t *testing.T) {
	chattest.EachWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		b := p.Browser(chattest.Host1001, chattest.InWeCom)
		b.Link(access.WeCom, chattest.Lan, portaltest.BuyerPhone)
		w := b.Begin(access.WeCom)
		p.Wecom.During = func() {
			_, err := p.DB.Identities.DropAll(t.Context(), portaltest.PersonOf(t, p.DB, portaltest.BuyerPhone).ID, 0)
			portaltest.NoError(t, err)
		}
		back, err := b.Finish(w, p.Wecom.Grant(w.App, chattest.Lan))
		if err != nil && !errors.Is(err, access.LoginRequired) || back.Login != nil {
			t.Errorf("%+v %v", back, err)
		}
	})
}
