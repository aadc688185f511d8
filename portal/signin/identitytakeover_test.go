package signin_test

import (
	"errors"
	"testing"

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

func TestAResetUnlinksThePlantedIdentities(t *testing.T) {
	chattest.EachWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		m := plantIdentities(p, portaltest.ManyPhone, "sur")
		p.AddLink(chattest.Xiao, portaltest.BuyerPhone)
		credentialtest.RecoverPassword(p.SMSPlatform, portaltest.ManyPhone)
		p.WantLinks(1) // another person's stays
		p.Browser(portaltest.AccountHost, chattest.InWeChat).SignIn(access.WeChat, chattest.Xiao)
		portaltest.NoError(t, p.Chatlogin.Unlink(t.Context(), access.Session{
			PersonID: portaltest.PersonOf(t, p.DB, portaltest.BuyerPhone).ID,
		}, p.IdentityRefs(access.Session{PersonID: portaltest.PersonOf(t, p.DB, portaltest.BuyerPhone).ID})[0], "zh"))
		m.wantUseless()
		_, err := m.ProveLink(
			m.LinkInput(m.Ticket, portaltest.ManyPhone),
		) // the ticket is of the attacker's own WeChat, and proves nothing here
		portaltest.Refused(t, err, access.WrongPassword)
		if p.Log.Count(`"event":"identity_unlinked"`, `"detail":"a new proof"`) != 2 ||
			p.CountEvents(1002, "identity_unlinked") != 1 {
			t.Error("the log does not tell")
		}
	})
}

func TestAResetByNameUnlinksTheIdentitiesOfThatAccount(t *testing.T) {
	chattest.EachWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		m := p.Browser(portaltest.AccountHost, chattest.InWeChat)
		m.Link(access.WeChat, chattest.Identity(66), "li.shop")
		m.Link(access.WeChat, chattest.Identity(67), "sur")
		ask := p.CodeRequest(core.ForReset, "", core.NewFlow())
		ask.Login = "li.shop"
		in := p.ResetInput("", p.ReceiveCode(ask), ask.Flow)
		in.Login = "li.shop"
		portaltest.NoError(t, p.ResetPassword(in))
		if got := m.Outcome(access.WeChat, chattest.Identity(66)); got != "unknown" {
			t.Errorf("the account's: %s", got)
		}
		if got := m.Outcome(
			access.WeChat, chattest.Identity(67),
		); got != "signed in" { // another account with another password
			t.Errorf("another account's: %s", got)
		}
	})
}

func TestBindingAPhoneWithANewPasswordUnlinksItsPlantedIdentities(t *testing.T) {
	chattest.EachWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		m := plantIdentities(p, portaltest.BuyerPhone, "buyer1")
		_, in, _ := credentialtest.ProveBind(p.SMSPlatform, "northwind", portaltest.BuyerPhone)
		in.New, in.Password, in.Confirm = true, portaltest.NewPassword, portaltest.NewPassword
		_, err := credentialtest.Bind(p.SMSPlatform, in)
		portaltest.NoError(t, err)
		m.wantUseless()
	})
}

func TestRegisteringAPhoneUnlinksItsPlantedIdentities(t *testing.T) {
	for name, owner := range map[string]func(p *chattest.ChatPlatform) signin.LoginResult{
		"with a password": func(p *chattest.ChatPlatform) signin.LoginResult {
			result, _ := onboardingtest.RegisterPhone(p.SMSPlatform, portaltest.NewPhone)
			return result.LoginResult
		},
		"with a WeChat of one's own": func(p *chattest.ChatPlatform) signin.LoginResult {
			b := p.Browser(portaltest.AccountHost, chattest.InWeChat)
			result, err := onboardingtest.Register(p.SMSPlatform,
				p.RegisterInput(b, b.UnknownTicket(access.WeChat, chattest.Xiao), portaltest.NewPhone))
			portaltest.NoError(p.T, err)
			return result.LoginResult
		},
	} {
		t.Run(name, func(t *testing.T) {
			chattest.EachWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
				// by a code read over the owner's shoulder
				tried, _ := onboardingtest.OpenSandboxFor(p.SMSPlatform, portaltest.NewPhone, onboardingtest.Seafood)
				m := p.Browser(portaltest.AccountHost, chattest.InWeChat)
				p.AddLink(chattest.Identity(66), portaltest.NewPhone)
				pending := signin.LinkInput{
					Ticket:  m.UnknownTicket(access.WeChat, chattest.Identity(67)),
					ByCode:  true,
					Phone:   portaltest.NewPhone,
					Flow:    m.Flow,
					Browser: m.Browser(),
				}
				pending.Code = p.ReceiveCode(
					p.CodeRequest(core.ForLogin, portaltest.NewPhone, p.Chatlogin.CodeFlow(m.Flow, pending.Ticket)),
				)
				l, err := m.ProveLink(pending)
				portaltest.NoError(t, err)

				signed := owner(p)

				portaltest.Refused(t, p.RequestSignedIn(tried.Token, portaltest.AccountHost), access.LoginRequired)
				if got := m.Outcome(access.WeChat, chattest.Identity(66)); got != "unknown" {
					t.Errorf("the planted one: %s", got)
				}
				if _, err := m.ConfirmLink(l); !errors.Is(err, access.WeChatExpired) {
					t.Errorf("the one on its way: %v", err)
				}
				portaltest.NoError(t, p.RequestSignedIn(signed.Token, portaltest.AccountHost))
			})
		})
	}
}

func TestSettingUpAnAccountUnlinksThePlantedIdentitiesOfItsPhone(t *testing.T) {
	chattest.EachWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		companytest.AddOffer(p.Platform, 1001, "invited", portaltest.NewPhone)
		p.AddLink(chattest.Identity(66), portaltest.NewPhone)
		_, err := onboardingtest.Complete(
			p.SMSPlatform, onboardingtest.ProvenCompleteInput(p.SMSPlatform, 1001, portaltest.NewPhone),
		)
		portaltest.NoError(t, err)
		p.WantLinks(0)
	})
}

func TestAFirstPasswordUnlinksTheEarlierIdentitiesOfTheAccount(t *testing.T) {
	chattest.EachWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		m := p.Browser(chattest.Host1001, chattest.InWeChat)
		m.Link(access.WeChat, chattest.Identity(66), "nophone") // by the former holder of the account
		ask := m.AskConfirmation(access.WeChat, chattest.Identity(66)).ConfirmToken
		given, err := p.Backoffice.GiveFirstPassword(
			p.From(portaltest.HomeAddress), p.Administrator(), p.Account("nophone").ID, "",
		)
		portaltest.NoError(t, err)
		signed, err := p.Login(credentialtest.NamedLoginInput(p.Platform, "nophone", given.Password))
		portaltest.NoError(t, err)
		_, err = credentialtest.ReplacePassword(
			p.Platform, signed.Session, given.Password, credentialtest.ChosenPassword,
		)
		portaltest.NoError(t, err)
		if got := m.Outcome(access.WeChat, chattest.Identity(66)); got != "unknown" {
			t.Errorf("the one before: %s", got)
		}
		_, err = m.ConfirmSignIn(ask)
		portaltest.Refused(t, err, access.WeChatExpired)
		p.WantLinks(0)
	})
}

func TestANumberThatChangesHandsKeepsNoIdentity(t *testing.T) {
	chattest.EachWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		m := p.Browser(portaltest.AccountHost, chattest.InWeChat)
		m.Link(access.WeChat, chattest.Identity(66), portaltest.BuyerPhone)
		pending := m.PendingLink(access.WeChat, chattest.Identity(67), portaltest.BuyerPhone)
		in := credentialtest.UnbindInput(p.SMSPlatform,
			p.SignIn(portaltest.AccountHost, portaltest.BuyerPhone).Session, "buyer1",
		) // the person's only account
		in.Code = p.ReceiveCode(credentialtest.UnbindCodeRequest(p.SMSPlatform, in))
		in.Password, in.Confirm = portaltest.NewPassword, portaltest.NewPassword
		portaltest.NoError(t, credentialtest.Unbind(p.SMSPlatform, in))
		p.WantLinks(0)
		_, err := m.ConfirmLink(pending)
		portaltest.Refused(t, err, access.WeChatExpired)
		p.Clock.Advance(core.DefaultResend)
		owner, _ := onboardingtest.RegisterPhone(p.SMSPlatform, portaltest.BuyerPhone)
		if got := m.Outcome(access.WeChat, chattest.Identity(66)); got != "unknown" ||
			len(companytest.AccountsOfPhone(p.Platform, portaltest.BuyerPhone)) != 1 {
			t.Errorf("%s, %d accounts", got, len(companytest.AccountsOfPhone(p.Platform, portaltest.BuyerPhone)))
		}
		portaltest.NoError(t, p.RequestSignedIn(owner.Token, portaltest.AccountHost))
	})
}

func TestAnIdentityOfARemovedTrialIsUnknownAgain(t *testing.T) {
	chattest.EachWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		tried, _ := onboardingtest.OpenSandboxFor(p.SMSPlatform, portaltest.NewPhone, onboardingtest.Seafood)
		s := sessiontest.StoredSession(p.Platform, tried.LoginResult, portaltest.AccountHost)
		m := onboardingtest.RoleAccount(p.SMSPlatform, s, "mgr", false)
		p.AddLink(chattest.Xiao, portaltest.NewPhone)
		now := store.At(p.Clock.Now())
		portaltest.NoError(
			t,
			p.DB.Identities.Link(
				t.Context(),
				store.Identity{
					Provider:  "wechat",
					App:       chattest.PlatformAccount,
					Subject:   chattest.Identity(2).Subject,
					AccountID: m.ID,
					LinkedAt:  now,
					UsedAt:    now,
				},
				store.Identity{},
			),
		)
		p.Clock.Advance(onboarding.SandboxLife)
		onboardingtest.RemoveSandboxes(p.SMSPlatform, 1)
		for _, who := range []signin.ProviderIdentity{chattest.Xiao, chattest.Identity(2)} {
			b := p.Browser(portaltest.AccountHost, chattest.InWeChat)
			if got := b.Outcome(access.WeChat, who); got != "unknown" {
				t.Errorf("%s", got)
				continue
			}
			b.Link(access.WeChat, who, portaltest.ManagerPhone)
		}
	})
}

func TestAResetDuringACallbackWithAUnionIDLeavesNoLink(t *testing.T) {
	chattest.EachWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		for round, phone := range []string{portaltest.BuyerPhone, portaltest.ManagerPhone, portaltest.BothPhone} {
			who := chattest.Identity(round)
			who.UnionID = "oUnion" + phone
			p.Browser(portaltest.AccountHost, chattest.InWeChat).Link(access.WeChat, who, phone)
			var browsers []*chattest.Browser
			var ways []chattest.Authorisation
			var codes []string
			for i := range 6 {
				b := p.Browser(portaltest.AccountHost, chattest.OnDesktop)
				w := b.Begin(access.WeChat)
				who.Subject = chattest.Identity(100 + 10*round + i).Subject
				browsers, ways, codes = append(browsers, b), append(ways, w), append(codes, p.Wechat.Grant(w.App, who))
			}
			reset := p.ResetInput(phone, "", core.NewFlow())
			reset.Code = p.ReceiveCode(p.CodeRequest(core.ForReset, phone, reset.Flow))
			portaltest.Together(7, func(i int) {
				if i == 6 {
					portaltest.NoError(t, p.ResetPassword(reset))
				} else if _, err := browsers[i].Finish(ways[i], codes[i]); err != nil &&
					!errors.Is(err, access.WeChatExpired) && !errors.Is(err, access.LoginRequired) {
					t.Errorf("%v", err)
				}
			})
		}
		p.WantLinks(0)
	})
}

// plantedIdentities are the identities that an attacker who once knew the password prepares: one linked to the phone,
// one linked to an account, a link that waits for confirmation and a sign-in that does.
type plantedIdentities struct {
	*chattest.Browser
	Ticket  string
	Pending signin.Linking
	Ask     string
}

// plantIdentities prepares the identities as the attacker.
func plantIdentities(p *chattest.ChatPlatform, phone, login string) plantedIdentities {
	p.T.Helper()
	m := plantedIdentities{Browser: p.Browser(portaltest.AccountHost, chattest.InWeChat)}
	m.Link(access.WeChat, chattest.Identity(66), phone)
	m.Link(access.WeChat, chattest.Identity(67), login)
	m.Ask = m.AskConfirmation(access.WeChat, chattest.Identity(66)).ConfirmToken
	m.Ticket = m.UnknownTicket(access.WeChat, chattest.Identity(68))
	m.Pending = m.PendingLink(access.WeChat, chattest.Identity(69), phone)
	return m
}

// wantUseless fails the test if one of the identities signs in or can still be confirmed.
func (m plantedIdentities) wantUseless() {
	m.P.T.Helper()
	for _, n := range []int{66, 67} {
		if got := m.Outcome(access.WeChat, chattest.Identity(n)); got != "unknown" {
			m.P.T.Errorf("identity %d: %s", n, got)
		}
	}
	_, err := m.ConfirmSignIn(m.Ask)
	portaltest.Refused(m.P.T, err, access.WeChatExpired)
	_, err = m.ConfirmLink(m.Pending)
	portaltest.Refused(m.P.T, err, access.WeChatExpired)
	m.P.WantLinks(0)
}
