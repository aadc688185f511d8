package portal_test

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"portico/portal"
)

func TestAnIdentityIsLinkedOnceItsHolderHasProvenAnAccountAndSaidYes(t *testing.T) {
	eachChat(t, func(t *testing.T, p *chatter) {
		b := p.browser(accountHost, inWeChat)
		ticket := b.unknown(portal.WeChat, xiao)
		who, err := p.IdentityOfTicket(t.Context(), ticket, b.flow)
		if err != nil || who.Nick != "小满" || who.Provider != portal.WeChat || who.Phone+who.Login != "" {
			t.Errorf("%+v %v", who, err)
		}
		l, err := b.proves(b.linking(ticket, " +86 138 0000 0003 "))
		noError(t, err)
		var companies []int64
		for _, c := range l.Companies {
			companies = append(companies, c.ID)
		}
		if l.Who.Phone != "138****0003" || l.Who.Nick != "小满" || !slices.Equal(companies, []int64{1001, 1002, 1003}) {
			t.Errorf("%+v, %v", l.Who, companies)
		}
		shown, err := p.ReadLinking(t.Context(), l.Sealed, b.flow, b.browser().Place)
		if err != nil || shown.Who != l.Who || len(shown.Companies) != 3 {
			t.Errorf("%+v %v", shown, err)
		}
		p.wantLinks(0)
		if p.events(0, "sign_in")+p.events(0, "identity_linked") != 0 {
			t.Error("something happened before the yes")
		}
		result, err := b.confirms(l)
		noError(t, err)
		if !p.is(p.stored(result, accountHost), manyPhone) || result.Step.Kind != portal.StepCompany {
			t.Errorf("%+v", result)
		}
		p.wantLinks(1)
		if p.events(0, "identity_linked") != 1 || p.events(0, "sign_in") != 1 || p.log.count(`"event":"identity_linked"`, `"detail":"wechat"`) != 1 {
			t.Error("the audit log does not tell")
		}
		p.wantNotices(manyPhone + " identity_linked")
		list, err := p.Identities(t.Context(), result.Session)
		if err != nil || len(list) != 1 || list[0].Nick != "小满" || list[0].Linked != p.clock.now() || list[0].Ref == "" {
			t.Errorf("%+v %v", list, err)
		}
		if again := b.signs(portal.WeChat, xiao); !p.is(again.Session, manyPhone) {
			t.Errorf("%+v", again.Session)
		}
	})
}

func TestAnIdentityIsLinkedToAnAccountByItsName(t *testing.T) {
	eachChat(t, func(t *testing.T, p *chatter) {
		for i, login := range []string{"nophone", "li.shop"} { // without a phone, and one of a phone's accounts
			b := p.browser(accountHost, inWorkChat)
			l := b.proven(portal.WeCom, someone(i), login)
			if l.Who.Login != login || l.Who.Phone != "" || len(l.Companies) != 1 || l.Companies[0].ID != 1001 {
				t.Errorf("%+v", l)
			}
			_, err := b.confirms(l)
			noError(t, err)
			if s := b.signs(portal.WeCom, someone(i)).Session; s.AccountID != p.account(login).ID || s.PhoneID != 0 {
				t.Errorf("%s: %+v", login, s)
			}
		}
		p.wantNotices(manyPhone + " identity_linked")
	})
}

func TestAnIdentityIsLinkedByACodeSentToThePhone(t *testing.T) {
	eachChat(t, func(t *testing.T, p *chatter) {
		b := p.browser(host1001, inWeChat)
		ticket := b.unknown(portal.WeChat, xiao)
		ask := p.asking(portal.ForLogin, buyerPhone, p.CodeFlow(b.flow, ticket))
		in := portal.LinkInput{Ticket: ticket, ByCode: true, Phone: buyerPhone, Flow: b.flow, Browser: b.browser()}
		for code, want := range map[string]portal.Problem{"": portal.CodeRequired, "12345": portal.CodeMalformed} {
			in.Code = code
			_, err := b.proves(in)
			field(t, err, "code", want)
		}
		in.Code = p.sent(ask) // of the account site, where no company is
		_, err := b.proves(in)
		refused(t, err, portal.CodeExpired)
		p.clock.advance(portal.DefaultResend)
		ask.CompanyID, ask.Place = 1001, p.place(host1001)
		in.Code = p.sent(ask)
		wrong, foreign := in, in
		wrong.Code = otherThan(in.Code)
		_, err = b.proves(wrong)
		refused(t, err, portal.CodeWrong)
		foreign.Phone = managerPhone
		_, err = b.proves(foreign)
		refused(t, err, portal.CodeExpired)
		other := p.browser(host1001, inWeChat)
		foreign = in
		foreign.Flow, foreign.Ticket = other.flow, other.unknown(portal.WeChat, someone(2))
		_, err = other.proves(foreign)
		refused(t, err, portal.CodeExpired)
		l, err := b.proves(in)
		noError(t, err)
		_, err = b.proves(in) // the code was used
		refused(t, err, portal.CodeExpired)
		result, err := b.confirms(l)
		if err != nil || !p.is(p.stored(result, host1001), buyerPhone) {
			t.Errorf("%+v %v", result.Session, err)
		}
		p.wantLinks(1)
	})
}

func TestAProofForALinkIsRefusedAndCountedAsASignInIs(t *testing.T) {
	eachChat(t, func(t *testing.T, p *chatter) {
		b := p.browser(accountHost, inWeChat)
		ticket := b.unknown(portal.WeChat, xiao)
		for who, want := range map[string]portal.Refusal{
			newPhone: portal.PhoneNotBound, unboundPhone: portal.PhoneNotBound, "nobody": portal.AccountNotFound, "13800000005": portal.AccountDisabled, "stopped": portal.CompanyDisabled,
			"13800000004": portal.UnderReview, "early": portal.MallNotOpen, "13800000008": portal.TrialEnded,
		} {
			_, err := b.proves(b.linking(ticket, who))
			refused(t, err, want)
		}
		_, err := b.at(host1002).proves(b.at(host1002).linking(ticket, buyerPhone))
		refused(t, err, portal.NotInCompany)
		in := b.linking(ticket, "")
		in.ByName, in.Phone, in.Password = false, "", ""
		_, err = b.proves(in)
		if with := refused(t, err, portal.ValidationFailed); with.Fields["phone"] != portal.PhoneRequired || with.Fields["password"] != portal.PasswordRequired {
			t.Errorf("%+v", with.Fields)
		}
		in = b.linking(ticket, managerPhone)
		in.Password = "Wrong2026"
		var with *portal.Refused
		for n := range portal.ProofFailures {
			_, err = b.proves(in)
			with = refused(t, err, portal.WrongPassword)
			if with.Left != portal.ProofFailures-n-1 {
				t.Fatalf("%d are left", with.Left)
			}
			if n >= portal.FreeFailures {
				p.clock.advance(65 * time.Second)
			}
		}
		if with.Question == nil || p.failures("jinsui") != portal.ProofFailures {
			t.Fatalf("%+v", with)
		}
		fresh := b.unknown(portal.WeChat, xiao) // the first one has ended
		in.Ticket, in.Password = fresh, portal.DemoPassword
		_, err = b.proves(in)
		with = refused(t, err, portal.ValidationFailed)
		if with.Fields["answer"] != portal.AnswerRequired || with.Question == nil {
			t.Fatalf("%+v", with)
		}
		in.Question, in.Answer = with.Question.Token, strconv.Itoa(with.Question.A+with.Question.B)
		l, err := b.proves(in)
		noError(t, err)
		if p.failures("jinsui") != 0 {
			t.Error("the right password does not count")
		}
		_, err = b.confirms(l)
		noError(t, err)
		p.wantLinks(1)
	})
}

func TestATicketIsForOneBrowserTenMinutesAndADoorThatIsOpen(t *testing.T) {
	eachChat(t, func(t *testing.T, p *chatter) {
		b := p.browser(host1001, inWeChat)
		ticket := b.unknown(portal.WeChat, xiao)
		ask := b.asked(portal.WeChat, func() portal.ProviderIdentity { b.links(portal.WeChat, someone(2), buyerPhone); return someone(2) }()).Ask
		other := p.browser(host1001, inWeChat)
		for name, in := range map[string]portal.LinkInput{
			"another browser": other.linking(ticket, managerPhone), "no browser": b.without().linking(ticket, managerPhone), "none": b.linking("", managerPhone),
			"a question": b.linking(ask, managerPhone), "a made-up one": b.linking("oOpenIdOfSomebody", managerPhone), "the identity's text": b.linking(xiao.Subject, managerPhone),
			"a tampered one": b.linking(strings.ToUpper(ticket), managerPhone),
		} {
			if _, err := b.proves(in); !errors.Is(err, portal.LoginRequired) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if p.failures("jinsui") != 0 {
			t.Error("a password was tried")
		}
		noError(t, p.SetCompany(t.Context(), 1001, "chat", "off"))
		_, err := b.proves(b.linking(ticket, managerPhone))
		refused(t, err, portal.WeChatFailed)
		noError(t, p.SetCompany(t.Context(), 1001, "chat", "on"))
		p.clock.advance(portal.IdentityTicketLife - time.Millisecond)
		_, err = b.proves(b.linking(ticket, managerPhone))
		noError(t, err)
		p.clock.advance(time.Millisecond)
		_, err = b.proves(b.linking(ticket, managerPhone))
		refused(t, err, portal.WeChatExpired)
		p.wantLinks(1)
	})
}

func TestAFirstPasswordLinksNothing(t *testing.T) {
	onceChat(t, func(t *testing.T, p *chatter) {
		opened := p.first("newcomer")
		b := p.browser(accountHost, inWeChat)
		in := b.linking(b.unknown(portal.WeChat, xiao), "newcomer")
		in.Password = opened.First.Password
		_, err := b.proves(in)
		if with := refused(t, err, portal.PasswordNotSet); !with.FirstPassword {
			t.Errorf("%+v", with)
		}
		p.clock.advance(portal.FirstPasswordLife)
		in.Ticket = b.unknown(portal.WeChat, xiao)
		_, err = b.proves(in)
		refused(t, err, portal.PasswordNotSet)
		p.wantLinks(0)
		noError(t, p.db.DropFirstPassword(t.Context(), opened.Member.CompanyID, opened.Member.ID))
	})
}

func TestAPasswordThatIsHashedAnewStillLinks(t *testing.T) {
	eachChat(t, func(t *testing.T, p *chatter) {
		for i, account := range []string{buyerPhone, "nophone"} {
			weak := hashOf(portal.DemoPassword, portal.HashCost{Memory: 32, Passes: 1, Threads: 1})
			if m := p.account("nophone"); account == "nophone" {
				noError(t, p.db.SetAccountPasswordHash(t.Context(), m.CompanyID, m.ID, m.PasswordHash, weak))
			} else {
				person := phoneOf(t, p.db, account)
				noError(t, p.db.SetPhonePasswordHash(t.Context(), person.ID, person.PasswordHash, weak))
			}
			b := p.browser(accountHost, inWeChat)
			if _, err := b.confirms(b.proven(portal.WeChat, someone(i), account)); err != nil {
				t.Errorf("%s: %v", account, err)
			}
		}
		p.wantLinks(2)
	})
}

func TestACodeProvesAPhoneForTheIdentityItWasAskedForAlone(t *testing.T) {
	eachChat(t, func(t *testing.T, p *chatter) {
		b := p.browser(accountHost, inWeChat)
		mine, planted := b.unknown(portal.WeChat, xiao), b.unknown(portal.WeChat, someone(2))
		in := portal.LinkInput{Ticket: planted, ByCode: true, Phone: buyerPhone, Flow: b.flow, Browser: b.browser()}
		in.Code = p.sent(p.asking(portal.ForLogin, buyerPhone, p.CodeFlow(b.flow, mine)))
		_, err := b.proves(in)
		refused(t, err, portal.CodeExpired)
		plain := in
		plain.Ticket = mine
		if _, err := b.proves(plain); err != nil {
			t.Errorf("for its own identity: %v", err)
		}
		p.clock.advance(portal.DefaultResend)
		in.Code = p.sent(p.asking(portal.ForLogin, buyerPhone, b.flow)) // to sign in, not to link
		_, err = b.proves(in)
		refused(t, err, portal.CodeExpired)
		_, err = p.codeLogin(p.withCode(buyerPhone, in.Code, b.flow))
		noError(t, err)
		p.wantLinks(0)
	})
}
