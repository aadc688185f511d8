package chatlogin_test

import (
	"errors"
	"testing"

	"portico/portal/access"
	"portico/portal/chatapps"
	"portico/portal/chatlogin"
	"portico/portal/onboarding"
	"portico/portal/portaltest"
	"portico/portal/signin"
	"portico/portal/verification"
	"portico/store"
)

func TestAResetUnlinksThePlantedIdentities(t *testing.T) {
	portaltest.EachChat(t, func(t *testing.T, p *portaltest.Chatter) {
		m := p.Plants(portaltest.ManyPhone, "sur")
		p.LinkedRow(portaltest.Xiao, portaltest.BuyerPhone)
		p.Recovers(portaltest.ManyPhone)
		p.WantLinks(1) // another person's stays
		p.Browser(portaltest.AccountHost, portaltest.InWeChat).Signs(access.WeChat, portaltest.Xiao)
		portaltest.NoError(t, p.Chatlogin.Unlink(t.Context(), access.Session{
			PhoneID: portaltest.PhoneOf(t, p.Db, portaltest.BuyerPhone).ID,
		}, p.Refs(access.Session{PhoneID: portaltest.PhoneOf(t, p.Db, portaltest.BuyerPhone).ID})[0], "zh"))
		m.IsOut()
		_, err := m.Proves(
			m.Linking(m.Ticket, portaltest.ManyPhone),
		) // the ticket is of the attacker's own WeChat, and proves nothing here
		portaltest.Refused(t, err, access.WrongPassword)
		if p.Log.Count(`"event":"identity_unlinked"`, `"detail":"a new proof"`) != 2 ||
			p.Events(1002, "identity_unlinked") != 1 {
			t.Error("the log does not tell")
		}
	})
}

func TestAResetByNameUnlinksTheIdentitiesOfThatAccount(t *testing.T) {
	portaltest.EachChat(t, func(t *testing.T, p *portaltest.Chatter) {
		m := p.Browser(portaltest.AccountHost, portaltest.InWeChat)
		m.Links(access.WeChat, portaltest.Someone(66), "li.shop")
		m.Links(access.WeChat, portaltest.Someone(67), "sur")
		ask := p.Asking(verification.ForReset, "", verification.NewFlow())
		ask.Login = "li.shop"
		in := p.Resetting("", p.Sent(ask), ask.Flow)
		in.Login = "li.shop"
		portaltest.NoError(t, p.Reset(in))
		if got := m.Becomes(access.WeChat, portaltest.Someone(66)); got != "unknown" {
			t.Errorf("the account's: %s", got)
		}
		if got := m.Becomes(
			access.WeChat, portaltest.Someone(67),
		); got != "signed in" { // another account with another password
			t.Errorf("another account's: %s", got)
		}
	})
}

func TestBindingAPhoneWithANewPasswordUnlinksItsPlantedIdentities(t *testing.T) {
	portaltest.EachChat(t, func(t *testing.T, p *portaltest.Chatter) {
		m := p.Plants(portaltest.BuyerPhone, "buyer1")
		_, in, _ := p.Proven("northwind", portaltest.BuyerPhone)
		in.New, in.Password, in.Confirm = true, portaltest.NewPassword, portaltest.NewPassword
		_, err := p.Bind(in)
		portaltest.NoError(t, err)
		m.IsOut()
	})
}

func TestRegisteringAPhoneUnlinksItsPlantedIdentities(t *testing.T) {
	for name, owner := range map[string]func(p *portaltest.Chatter) signin.LoginResult{
		"with a password": func(p *portaltest.Chatter) signin.LoginResult {
			result, _ := p.Carer.Registered(portaltest.NewPhone)
			return result.LoginResult
		},
		"with a WeChat of one's own": func(p *portaltest.Chatter) signin.LoginResult {
			b := p.Browser(portaltest.AccountHost, portaltest.InWeChat)
			result, err := p.Register(p.RegistersBy(b, b.Unknown(access.WeChat, portaltest.Xiao), portaltest.NewPhone))
			portaltest.NoError(p.T, err)
			return result.LoginResult
		},
	} {
		t.Run(name, func(t *testing.T) {
			portaltest.EachChat(t, func(t *testing.T, p *portaltest.Chatter) {
				tried, _ := p.Tried(portaltest.NewPhone, portaltest.Seafood) // by a code read over the owner's shoulder
				m := p.Browser(portaltest.AccountHost, portaltest.InWeChat)
				p.LinkedRow(portaltest.Someone(66), portaltest.NewPhone)
				pending := chatlogin.LinkInput{
					Ticket:  m.Unknown(access.WeChat, portaltest.Someone(67)),
					ByCode:  true,
					Phone:   portaltest.NewPhone,
					Flow:    m.Flow,
					Browser: m.Browser(),
				}
				pending.Code = p.Sent(
					p.Asking(verification.ForLogin, portaltest.NewPhone, p.Chatlogin.CodeFlow(m.Flow, pending.Ticket)),
				)
				l, err := m.Proves(pending)
				portaltest.NoError(t, err)

				signed := owner(p)

				portaltest.Refused(t, p.RequestSignedIn(tried.Token, portaltest.AccountHost), access.LoginRequired)
				if got := m.Becomes(access.WeChat, portaltest.Someone(66)); got != "unknown" {
					t.Errorf("the planted one: %s", got)
				}
				if _, err := m.Confirms(l); !errors.Is(err, access.WeChatExpired) {
					t.Errorf("the one on its way: %v", err)
				}
				portaltest.NoError(t, p.RequestSignedIn(signed.Token, portaltest.AccountHost))
			})
		})
	}
}

func TestSettingUpAnAccountUnlinksThePlantedIdentitiesOfItsPhone(t *testing.T) {
	portaltest.EachChat(t, func(t *testing.T, p *portaltest.Chatter) {
		p.Invites(1001, "invited", portaltest.NewPhone)
		p.LinkedRow(portaltest.Someone(66), portaltest.NewPhone)
		_, err := p.Complete(p.ProvenComplete(1001, portaltest.NewPhone))
		portaltest.NoError(t, err)
		p.WantLinks(0)
	})
}

func TestAFirstPasswordUnlinksTheEarlierIdentitiesOfTheAccount(t *testing.T) {
	portaltest.EachChat(t, func(t *testing.T, p *portaltest.Chatter) {
		m := p.Browser(portaltest.Host1001, portaltest.InWeChat)
		m.Links(access.WeChat, portaltest.Someone(66), "nophone") // by the former holder of the account
		ask := m.Asked(access.WeChat, portaltest.Someone(66)).ConfirmToken
		given, err := p.Backoffice.GiveFirstPassword(
			p.From(portaltest.HomeAddress), p.Boss(), p.Account("nophone").ID, "",
		)
		portaltest.NoError(t, err)
		signed, err := p.Login(p.Named("nophone", given.Password))
		portaltest.NoError(t, err)
		_, err = p.Replace(signed.Session, given.Password, portaltest.OwnChoice)
		portaltest.NoError(t, err)
		if got := m.Becomes(access.WeChat, portaltest.Someone(66)); got != "unknown" {
			t.Errorf("the one before: %s", got)
		}
		_, err = m.SaysYes(ask)
		portaltest.Refused(t, err, access.WeChatExpired)
		p.WantLinks(0)
	})
}

func TestANumberThatChangesHandsKeepsNoIdentity(t *testing.T) {
	portaltest.EachChat(t, func(t *testing.T, p *portaltest.Chatter) {
		m := p.Browser(portaltest.AccountHost, portaltest.InWeChat)
		m.Links(access.WeChat, portaltest.Someone(66), portaltest.BuyerPhone)
		pending := m.Proven(access.WeChat, portaltest.Someone(67), portaltest.BuyerPhone)
		in := p.Unbinding(
			p.SignIn(portaltest.AccountHost, portaltest.BuyerPhone).Session, "buyer1",
		) // the person's only account
		in.Code = p.Sent(p.AskToUnbind(in))
		in.Password, in.Confirm = portaltest.NewPassword, portaltest.NewPassword
		portaltest.NoError(t, p.Unbind(in))
		p.WantLinks(0)
		_, err := m.Confirms(pending)
		portaltest.Refused(t, err, access.WeChatExpired)
		p.Clock.Advance(verification.DefaultResend)
		owner, _ := p.Carer.Registered(portaltest.BuyerPhone)
		if got := m.Becomes(access.WeChat, portaltest.Someone(66)); got != "unknown" ||
			len(p.MembersOf(portaltest.BuyerPhone)) != 1 {
			t.Errorf("%s, %d accounts", got, len(p.MembersOf(portaltest.BuyerPhone)))
		}
		portaltest.NoError(t, p.RequestSignedIn(owner.Token, portaltest.AccountHost))
	})
}

func TestAnIdentityOfARemovedTrialIsUnknownAgain(t *testing.T) {
	portaltest.EachChat(t, func(t *testing.T, p *portaltest.Chatter) {
		tried, _ := p.Tried(portaltest.NewPhone, portaltest.Seafood)
		s := p.Stored(tried.LoginResult, portaltest.AccountHost)
		m := p.Role(s, "mgr", false)
		p.LinkedRow(portaltest.Xiao, portaltest.NewPhone)
		now := store.At(p.Clock.Now())
		portaltest.NoError(
			t,
			p.Db.Identities.Link(
				t.Context(),
				store.Identity{
					Provider:  "wechat",
					App:       portaltest.PlatformAccount,
					Subject:   portaltest.Someone(2).Subject,
					AccountID: m.ID,
					LinkedAt:  now,
					UsedAt:    now,
				},
				store.Identity{},
			),
		)
		p.Clock.Advance(onboarding.SandboxLife)
		p.Sweeps(1)
		for _, who := range []chatapps.ProviderIdentity{portaltest.Xiao, portaltest.Someone(2)} {
			b := p.Browser(portaltest.AccountHost, portaltest.InWeChat)
			if got := b.Becomes(access.WeChat, who); got != "unknown" {
				t.Errorf("%s", got)
				continue
			}
			b.Links(access.WeChat, who, portaltest.ManagerPhone)
		}
	})
}

func TestAResetDuringACallbackWithAUnionIDLeavesNoLink(t *testing.T) {
	portaltest.EachChat(t, func(t *testing.T, p *portaltest.Chatter) {
		for round, phone := range []string{portaltest.BuyerPhone, portaltest.ManagerPhone, portaltest.BothPhone} {
			who := portaltest.Someone(round)
			who.UnionID = "oUnion" + phone
			p.Browser(portaltest.AccountHost, portaltest.InWeChat).Links(access.WeChat, who, phone)
			var browsers []*portaltest.Browser
			var ways []portaltest.Way
			var codes []string
			for i := range 6 {
				b := p.Browser(portaltest.AccountHost, portaltest.OnADesktop)
				w := b.Goes(access.WeChat)
				who.Subject = portaltest.Someone(100 + 10*round + i).Subject
				browsers, ways, codes = append(browsers, b), append(ways, w), append(codes, p.Wechat.Grants(w.App, who))
			}
			reset := p.Resetting(phone, "", verification.NewFlow())
			reset.Code = p.Sent(p.Asking(verification.ForReset, phone, reset.Flow))
			portaltest.Together(7, func(i int) {
				if i == 6 {
					portaltest.NoError(t, p.Reset(reset))
				} else if _, err := browsers[i].Returns(ways[i], codes[i]); err != nil &&
					!errors.Is(err, access.WeChatExpired) && !errors.Is(err, access.LoginRequired) {
					t.Errorf("%v", err)
				}
			})
		}
		p.WantLinks(0)
	})
}
