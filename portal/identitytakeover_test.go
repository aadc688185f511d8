package portal_test

import (
	"errors"
	"testing"

	"portico/portal"
	"portico/store"
)

// Identities that were planted before the rightful owner proved who they are.

// planted is all that an attacker who once knew the password prepares at the account site: identities of the phone, of an account
// of it, and one on its way.
type planted struct {
	*browser
	ticket  string
	pending portal.Linking
	ask     string
}

func (p *chatter) plants(phone, login string) planted {
	p.t.Helper()
	m := planted{browser: p.browser(accountHost, inWeChat)}
	m.links(portal.WeChat, someone(66), phone)
	m.links(portal.WeChat, someone(67), login)
	m.ask = m.asked(portal.WeChat, someone(66)).Ask
	m.ticket = m.unknown(portal.WeChat, someone(68))
	m.pending = m.proven(portal.WeChat, someone(69), phone)
	return m
}

// isOut demands that nothing of it opens anything.
func (m planted) isOut() {
	m.p.t.Helper()
	for _, n := range []int{66, 67} {
		if got := m.becomes(portal.WeChat, someone(n)); got != "unknown" {
			m.p.t.Errorf("identity %d: %s", n, got)
		}
	}
	_, err := m.saysYes(m.ask)
	refused(m.p.t, err, portal.WeChatExpired)
	_, err = m.confirms(m.pending)
	refused(m.p.t, err, portal.WeChatExpired)
	m.p.wantLinks(0)
}

func TestAResetTakesThePlantedIdentitiesOff(t *testing.T) {
	eachChat(t, func(t *testing.T, p *chatter) {
		m := p.plants(manyPhone, "sur")
		p.linkedRow(xiao, buyerPhone)
		p.recovers(manyPhone)
		p.wantLinks(1) // another person's stays
		p.browser(accountHost, inWeChat).signs(portal.WeChat, xiao)
		noError(t, p.Unlink(t.Context(), portal.Session{
			PhoneID: phoneOf(t, p.db, buyerPhone).ID,
		}, p.refs(portal.Session{PhoneID: phoneOf(t, p.db, buyerPhone).ID})[0], "zh"))
		m.isOut()
		_, err := m.proves(m.linking(m.ticket, manyPhone)) // the ticket is of the attacker's own WeChat, and proves nothing here
		refused(t, err, portal.WrongPassword)
		if p.log.count(`"event":"identity_unlinked"`, `"detail":"a new proof"`) != 2 ||
			p.events(1002, "identity_unlinked") != 1 {
			t.Error("the log does not tell")
		}
	})
}

func TestAResetByNameTakesTheIdentitiesOfThatAccountOff(t *testing.T) {
	eachChat(t, func(t *testing.T, p *chatter) {
		m := p.browser(accountHost, inWeChat)
		m.links(portal.WeChat, someone(66), "li.shop")
		m.links(portal.WeChat, someone(67), "sur")
		ask := p.asking(portal.ForReset, "", portal.NewFlow())
		ask.Login = "li.shop"
		in := p.resetting("", p.sent(ask), ask.Flow)
		in.Login = "li.shop"
		noError(t, p.reset(in))
		if got := m.becomes(portal.WeChat, someone(66)); got != "unknown" {
			t.Errorf("the account's: %s", got)
		}
		if got := m.becomes(portal.WeChat, someone(67)); got != "signed in" { // another account with another password
			t.Errorf("another account's: %s", got)
		}
	})
}

func TestBindingAPhoneWithANewPasswordTakesItsPlantedIdentitiesOff(t *testing.T) {
	eachChat(t, func(t *testing.T, p *chatter) {
		m := p.plants(buyerPhone, "buyer1")
		_, in, _ := p.proven("northwind", buyerPhone)
		in.New, in.Password, in.Confirm = true, newPassword, newPassword
		_, err := p.bind(in)
		noError(t, err)
		m.isOut()
	})
}

func TestRegisteringAPhoneTakesItsPlantedIdentitiesOff(t *testing.T) {
	for name, owner := range map[string]func(p *chatter) portal.LoginResult{
		"with a password": func(p *chatter) portal.LoginResult {
			result, _ := p.carer.registered(newPhone)
			return result.LoginResult
		},
		"with a WeChat of one's own": func(p *chatter) portal.LoginResult {
			b := p.browser(accountHost, inWeChat)
			result, err := p.register(p.registersBy(b, b.unknown(portal.WeChat, xiao), newPhone))
			noError(p.t, err)
			return result.LoginResult
		},
	} {
		t.Run(name, func(t *testing.T) {
			eachChat(t, func(t *testing.T, p *chatter) {
				tried, _ := p.tried(newPhone, seafood) // by a code read over the owner's shoulder
				m := p.browser(accountHost, inWeChat)
				p.linkedRow(someone(66), newPhone)
				pending := portal.LinkInput{Ticket: m.unknown(portal.WeChat, someone(67)), ByCode: true, Phone: newPhone, Flow: m.flow, Browser: m.browser()}
				pending.Code = p.sent(p.asking(portal.ForLogin, newPhone, p.CodeFlow(m.flow, pending.Ticket)))
				l, err := m.proves(pending)
				noError(t, err)

				signed := owner(p)

				refused(t, p.signedIn(tried.Token, accountHost), portal.LoginRequired)
				if got := m.becomes(portal.WeChat, someone(66)); got != "unknown" {
					t.Errorf("the planted one: %s", got)
				}
				if _, err := m.confirms(l); !errors.Is(err, portal.WeChatExpired) {
					t.Errorf("the one on its way: %v", err)
				}
				noError(t, p.signedIn(signed.Token, accountHost))
			})
		})
	}
}

func TestASetUpAccountTakesThePlantedIdentitiesOfItsPhoneOff(t *testing.T) {
	eachChat(t, func(t *testing.T, p *chatter) {
		p.invites(1001, "invited", newPhone)
		p.linkedRow(someone(66), newPhone)
		_, err := p.complete(p.provenComplete(1001, newPhone))
		noError(t, err)
		p.wantLinks(0)
	})
}

func TestAFirstPasswordTakesTheIdentitiesOfTheAccountBeforeOff(t *testing.T) {
	eachChat(t, func(t *testing.T, p *chatter) {
		m := p.browser(host1001, inWeChat)
		m.links(portal.WeChat, someone(66), "nophone") // by whoever had the account before
		ask := m.asked(portal.WeChat, someone(66)).Ask
		given, err := p.GiveFirstPassword(p.from(homeAddress), p.boss(), p.account("nophone").ID, "")
		noError(t, err)
		signed, err := p.login(p.named("nophone", given.Password))
		noError(t, err)
		_, err = p.replace(signed.Session, given.Password, ownChoice)
		noError(t, err)
		if got := m.becomes(portal.WeChat, someone(66)); got != "unknown" {
			t.Errorf("the one before: %s", got)
		}
		_, err = m.saysYes(ask)
		refused(t, err, portal.WeChatExpired)
		p.wantLinks(0)
	})
}

func TestANumberThatChangesHandsTakesNoIdentityAlong(t *testing.T) {
	eachChat(t, func(t *testing.T, p *chatter) {
		m := p.browser(accountHost, inWeChat)
		m.links(portal.WeChat, someone(66), buyerPhone)
		pending := m.proven(portal.WeChat, someone(67), buyerPhone)
		in := p.unbinding(p.signIn(accountHost, buyerPhone).Session, "buyer1") // the person's only account
		in.Code = p.sent(p.askToUnbind(in))
		in.Password, in.Confirm = newPassword, newPassword
		noError(t, p.unbind(in))
		p.wantLinks(0)
		_, err := m.confirms(pending)
		refused(t, err, portal.WeChatExpired)
		p.clock.advance(portal.DefaultResend)
		owner, _ := p.carer.registered(buyerPhone)
		if got := m.becomes(portal.WeChat, someone(66)); got != "unknown" || len(p.membersOf(buyerPhone)) != 1 {
			t.Errorf("%s, %d accounts", got, len(p.membersOf(buyerPhone)))
		}
		noError(t, p.signedIn(owner.Token, accountHost))
	})
}

func TestAnIdentityOfATrialThatWasRemovedIsUnknownAgain(t *testing.T) {
	eachChat(t, func(t *testing.T, p *chatter) {
		tried, _ := p.tried(newPhone, seafood)
		s := p.stored(tried.LoginResult, accountHost)
		m := p.role(s, "mgr", false)
		p.linkedRow(xiao, newPhone)
		now := store.At(p.clock.now())
		noError(t, p.db.LinkIdentity(t.Context(), store.Identity{Provider: "wechat", App: platformAccount, Subject: someone(2).Subject, AccountID: m.ID, LinkedAt: now, UsedAt: now}, store.Identity{}))
		p.clock.advance(portal.SandboxLife)
		p.sweeps(1)
		for _, who := range []portal.ProviderIdentity{xiao, someone(2)} {
			b := p.browser(accountHost, inWeChat)
			if got := b.becomes(portal.WeChat, who); got != "unknown" {
				t.Errorf("%s", got)
				continue
			}
			b.links(portal.WeChat, who, managerPhone)
		}
	})
}

func TestAResetWhileAUnionComesBackLeavesNoLink(t *testing.T) {
	eachChat(t, func(t *testing.T, p *chatter) {
		for round, phone := range []string{buyerPhone, managerPhone, bothPhone} {
			who := someone(round)
			who.UnionID = "oUnion" + phone
			p.browser(accountHost, inWeChat).links(portal.WeChat, who, phone)
			var browsers []*browser
			var ways []way
			var codes []string
			for i := range 6 {
				b := p.browser(accountHost, onADesktop)
				w := b.goes(portal.WeChat)
				who.Subject = someone(100 + 10*round + i).Subject
				browsers, ways, codes = append(browsers, b), append(ways, w), append(codes, p.wechat.grants(w.app, who))
			}
			reset := p.resetting(phone, "", portal.NewFlow())
			reset.Code = p.sent(p.asking(portal.ForReset, phone, reset.Flow))
			together(7, func(i int) {
				if i == 6 {
					noError(t, p.reset(reset))
				} else if _, err := browsers[i].returns(ways[i], codes[i]); err != nil && !errors.Is(err, portal.WeChatExpired) && !errors.Is(err, portal.LoginRequired) {
					t.Errorf("%v", err)
				}
			})
		}
		p.wantLinks(0)
	})
}
