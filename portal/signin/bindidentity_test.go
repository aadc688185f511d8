package signin_test

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/credentials"
	"portico/portal/onboarding"
	"portico/portal/portaltest"
	"portico/portal/portaltest/chattest"
	"portico/portal/portaltest/credentialtest"
	"portico/portal/portaltest/guesstest"
	"portico/portal/portaltest/sessiontest"
	"portico/portal/signin"
)

func TestAnIdentityIsLinkedOnceItsHolderProvedAnAccountAndConfirmed(t *testing.T) {
	chattest.EachWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		b := p.Browser(portaltest.AccountHost, chattest.InWeChat)
		ticket := b.UnknownTicket(access.WeChat, chattest.Xiao)
		who, err := p.Chatlogin.IdentityOfTicket(t.Context(), ticket, b.Flow)
		if err != nil || who.Nick != "小满" || who.Provider != access.WeChat || who.Phone+who.Login != "" {
			t.Errorf("%+v %v", who, err)
		}
		l, err := b.ProveLink(b.LinkInput(ticket, " +86 138 0000 0003 "))
		portaltest.NoError(t, err)
		var companies []int64
		for _, c := range l.Companies {
			companies = append(companies, c.ID)
		}
		if l.Identity.Phone != "138****0003" || l.Identity.Nick != "小满" ||
			!slices.Equal(companies, []int64{1001, 1002, 1003}) {
			t.Errorf("%+v, %v", l.Identity, companies)
		}
		shown, err := p.Chatlogin.ReadLinking(t.Context(), l.Sealed, b.Flow, b.Browser().Place)
		if err != nil || shown.Identity != l.Identity || len(shown.Companies) != 3 {
			t.Errorf("%+v %v", shown, err)
		}
		p.WantLinks(0)
		if p.CountEvents(0, "sign_in")+p.CountEvents(0, "identity_linked") != 0 {
			t.Error("something happened before the yes")
		}
		result, err := b.ConfirmLink(l)
		portaltest.NoError(t, err)
		if !p.BelongsTo(sessiontest.StoredSession(p.Platform, result, portaltest.AccountHost), portaltest.ManyPhone) ||
			result.Step.Kind != signin.StepCompany {
			t.Errorf("%+v", result)
		}
		p.WantLinks(1)
		if p.CountEvents(0, "identity_linked") != 1 || p.CountEvents(0, "sign_in") != 1 ||
			p.Log.Count(`"event":"identity_linked"`, `"detail":"wechat"`) != 1 {
			t.Error("the audit log does not tell")
		}
		p.WantNotices(portaltest.ManyPhone + " identity_linked")
		list, err := p.Chatlogin.Identities(t.Context(), result.Session)
		if err != nil || len(list) != 1 || list[0].Nick != "小满" || list[0].Linked != p.Clock.Now() ||
			list[0].Ref == "" {
			t.Errorf("%+v %v", list, err)
		}
		if again := b.SignIn(access.WeChat, chattest.Xiao); !p.BelongsTo(again.Session, portaltest.ManyPhone) {
			t.Errorf("%+v", again.Session)
		}
	})
}

func TestAnIdentityIsLinkedToAnAccountByItsName(t *testing.T) {
	chattest.EachWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		for i, login := range []string{"nophone", "li.shop"} { // without a phone, and one of a phone's accounts
			b := p.Browser(portaltest.AccountHost, chattest.InWeCom)
			l := b.PendingLink(access.WeCom, chattest.Identity(i), login)
			if l.Identity.Login != login || l.Identity.Phone != "" || len(l.Companies) != 1 ||
				l.Companies[0].ID != 1001 {
				t.Errorf("%+v", l)
			}
			_, err := b.ConfirmLink(l)
			portaltest.NoError(t, err)
			if s := b.SignIn(access.WeCom, chattest.Identity(i)).Session; s.AccountID != p.Account(login).ID ||
				s.PersonID != 0 {
				t.Errorf("%s: %+v", login, s)
			}
		}
		p.WantNotices(portaltest.ManyPhone + " identity_linked")
	})
}

func TestAnIdentityIsLinkedByACodeSentToThePhone(t *testing.T) {
	chattest.EachWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		b := p.Browser(chattest.Host1001, chattest.InWeChat)
		ticket := b.UnknownTicket(access.WeChat, chattest.Xiao)
		ask := p.CodeRequest(core.ForLogin, portaltest.BuyerPhone, p.Chatlogin.CodeFlow(b.Flow, ticket))
		in := signin.LinkInput{
			Ticket: ticket, ByCode: true, Phone: portaltest.BuyerPhone, Flow: b.Flow, Browser: b.Browser(),
		}
		for code, want := range map[string]access.Problem{"": access.CodeRequired, "12345": access.CodeMalformed} {
			in.Code = code
			_, err := b.ProveLink(in)
			portaltest.WantField(t, err, "code", want)
		}
		in.Code = p.ReceiveCode(ask) // of the account site, where no company is
		_, err := b.ProveLink(in)
		portaltest.Refused(t, err, access.CodeExpired)
		p.Clock.Advance(core.DefaultResend)
		ask.CompanyID, ask.Place = 1001, p.Place(chattest.Host1001)
		in.Code = p.ReceiveCode(ask)
		wrong, foreign := in, in
		wrong.Code = portaltest.WrongCode(in.Code)
		_, err = b.ProveLink(wrong)
		portaltest.Refused(t, err, access.CodeWrong)
		foreign.Phone = portaltest.ManagerPhone
		_, err = b.ProveLink(foreign)
		portaltest.Refused(t, err, access.CodeExpired)
		other := p.Browser(chattest.Host1001, chattest.InWeChat)
		foreign = in
		foreign.Flow, foreign.Ticket = other.Flow, other.UnknownTicket(access.WeChat, chattest.Identity(2))
		_, err = other.ProveLink(foreign)
		portaltest.Refused(t, err, access.CodeExpired)
		l, err := b.ProveLink(in)
		portaltest.NoError(t, err)
		_, err = b.ProveLink(in) // the code was used
		portaltest.Refused(t, err, access.CodeExpired)
		result, err := b.ConfirmLink(l)
		if err != nil ||
			!p.BelongsTo(sessiontest.StoredSession(p.Platform, result, chattest.Host1001), portaltest.BuyerPhone) {
			t.Errorf("%+v %v", result.Session, err)
		}
		p.WantLinks(1)
	})
}

func TestAFailedProofForALinkIsRefusedAndCountedLikeAFailedSignIn(t *testing.T) {
	chattest.EachWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		b := p.Browser(portaltest.AccountHost, chattest.InWeChat)
		ticket := b.UnknownTicket(access.WeChat, chattest.Xiao)
		for who, want := range map[string]access.Refusal{
			portaltest.NewPhone: access.PhoneNotBound, portaltest.UnboundPhone: access.PhoneNotBound,
			"nobody": access.AccountNotFound, "13800000005": access.AccountDisabled,
			"stopped":     access.CompanyDisabled,
			"13800000004": access.UnderReview, "early": access.MallNotOpen, "13800000008": access.TrialEnded,
		} {
			_, err := b.ProveLink(b.LinkInput(ticket, who))
			portaltest.Refused(t, err, want)
		}
		_, err := b.AtHost(chattest.Host1002).
			ProveLink(b.AtHost(chattest.Host1002).LinkInput(ticket, portaltest.BuyerPhone))
		portaltest.Refused(t, err, access.NotInCompany)
		in := b.LinkInput(ticket, "")
		in.ByName, in.Phone, in.Password = false, "", ""
		_, err = b.ProveLink(in)
		if with := portaltest.Refused(t, err, access.ValidationFailed); with.Fields["phone"] != access.PhoneRequired ||
			with.Fields["password"] != access.PasswordRequired {
			t.Errorf("%+v", with.Fields)
		}
		in = b.LinkInput(ticket, portaltest.ManagerPhone)
		in.Password = "Wrong2026"
		var with *access.Refused
		for n := range signin.ProofFailures {
			_, err = b.ProveLink(in)
			with = portaltest.Refused(t, err, access.WrongPassword)
			if with.Left != signin.ProofFailures-n-1 {
				t.Fatalf("%d are left", with.Left)
			}
			if n >= signin.FreeFailures {
				p.Clock.Advance(65 * time.Second)
			}
		}
		if with.Question == nil || guesstest.CountFailures(p.Platform, "jinsui") != signin.ProofFailures {
			t.Fatalf("%+v", with)
		}
		fresh := b.UnknownTicket(access.WeChat, chattest.Xiao) // the first one has ended
		in.Ticket, in.Password = fresh, onboarding.DemoPassword
		_, err = b.ProveLink(in)
		with = portaltest.Refused(t, err, access.ValidationFailed)
		if with.Fields["answer"] != access.AnswerRequired || with.Question == nil {
			t.Fatalf("%+v", with)
		}
		in.Question, in.Answer = with.Question.Token, strconv.Itoa(with.Question.A+with.Question.B)
		l, err := b.ProveLink(in)
		portaltest.NoError(t, err)
		if guesstest.CountFailures(p.Platform, "jinsui") != 0 {
			t.Error("the right password does not count")
		}
		_, err = b.ConfirmLink(l)
		portaltest.NoError(t, err)
		p.WantLinks(1)
	})
}

func TestATicketWorksForOneBrowserForTenMinutesWhileItsMethodIsOn(t *testing.T) {
	chattest.EachWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		b := p.Browser(chattest.Host1001, chattest.InWeChat)
		ticket := b.UnknownTicket(access.WeChat, chattest.Xiao)
		ask := b.AskConfirmation(access.WeChat, func() signin.ProviderIdentity {
			b.Link(access.WeChat, chattest.Identity(2), portaltest.BuyerPhone)
			return chattest.Identity(2)
		}()).ConfirmToken
		other := p.Browser(chattest.Host1001, chattest.InWeChat)
		for name, in := range map[string]signin.LinkInput{
			"another browser":     other.LinkInput(ticket, portaltest.ManagerPhone),
			"no browser":          b.WithoutCookie().LinkInput(ticket, portaltest.ManagerPhone),
			"none":                b.LinkInput("", portaltest.ManagerPhone),
			"a question":          b.LinkInput(ask, portaltest.ManagerPhone),
			"a made-up one":       b.LinkInput("oOpenIdOfSomebody", portaltest.ManagerPhone),
			"the identity's text": b.LinkInput(chattest.Xiao.Subject, portaltest.ManagerPhone),
			"a tampered one":      b.LinkInput(strings.ToUpper(ticket), portaltest.ManagerPhone),
		} {
			if _, err := b.ProveLink(in); !errors.Is(err, access.LoginRequired) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if guesstest.CountFailures(p.Platform, "jinsui") != 0 {
			t.Error("a password was tried")
		}
		portaltest.NoError(t, p.Operator.SetCompany(t.Context(), 1001, "chat", "off"))
		_, err := b.ProveLink(b.LinkInput(ticket, portaltest.ManagerPhone))
		portaltest.Refused(t, err, access.WeChatFailed)
		portaltest.NoError(t, p.Operator.SetCompany(t.Context(), 1001, "chat", "on"))
		p.Clock.Advance(signin.IdentityTicketLife - time.Millisecond)
		_, err = b.ProveLink(b.LinkInput(ticket, portaltest.ManagerPhone))
		portaltest.NoError(t, err)
		p.Clock.Advance(time.Millisecond)
		_, err = b.ProveLink(b.LinkInput(ticket, portaltest.ManagerPhone))
		portaltest.Refused(t, err, access.WeChatExpired)
		p.WantLinks(1)
	})
}

func TestAFirstPasswordLinksNothing(t *testing.T) {
	chattest.OnSQLiteWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		opened := credentialtest.OpenAccountWithFirstPassword(p.Platform, "newcomer")
		b := p.Browser(portaltest.AccountHost, chattest.InWeChat)
		in := b.LinkInput(b.UnknownTicket(access.WeChat, chattest.Xiao), "newcomer")
		in.Password = opened.First.Password
		_, err := b.ProveLink(in)
		if with := portaltest.Refused(t, err, access.PasswordNotSet); !with.FirstPassword {
			t.Errorf("%+v", with)
		}
		p.Clock.Advance(credentials.FirstPasswordLife)
		in.Ticket = b.UnknownTicket(access.WeChat, chattest.Xiao)
		_, err = b.ProveLink(in)
		portaltest.Refused(t, err, access.PasswordNotSet)
		p.WantLinks(0)
		portaltest.NoError(t, p.DB.Passwords.DropFirst(t.Context(), opened.Member.CompanyID, opened.Member.ID))
	})
}

func TestAPasswordThatIsRehashedMeanwhileStillLinks(t *testing.T) {
	chattest.EachWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		for i, account := range []string{portaltest.BuyerPhone, "nophone"} {
			weak := portaltest.HashPassword(onboarding.DemoPassword, core.HashCost{Memory: 32, Passes: 1, Threads: 1})
			if m := p.Account("nophone"); account == "nophone" {
				portaltest.NoError(t, p.DB.Passwords.RehashAccount(t.Context(), m.CompanyID, m.ID, m.PasswordHash,
					weak))
			} else {
				person := portaltest.PersonOf(t, p.DB, account)
				portaltest.NoError(t, p.DB.Passwords.RehashPerson(t.Context(), person.ID, person.PasswordHash, weak))
			}
			b := p.Browser(portaltest.AccountHost, chattest.InWeChat)
			if _, err := b.ConfirmLink(b.PendingLink(access.WeChat, chattest.Identity(i), account)); err != nil {
				t.Errorf("%s: %v", account, err)
			}
		}
		p.WantLinks(2)
	})
}

func TestACodeSentForALinkProvesThePhoneOnlyForItsIdentity(t *testing.T) {
	chattest.EachWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		b := p.Browser(portaltest.AccountHost, chattest.InWeChat)
		mine, planted := b.UnknownTicket(access.WeChat, chattest.Xiao), b.UnknownTicket(
			access.WeChat, chattest.Identity(2),
		)
		in := signin.LinkInput{
			Ticket: planted, ByCode: true, Phone: portaltest.BuyerPhone, Flow: b.Flow, Browser: b.Browser(),
		}
		in.Code = p.ReceiveCode(p.CodeRequest(core.ForLogin, portaltest.BuyerPhone, p.Chatlogin.CodeFlow(b.Flow, mine)))
		_, err := b.ProveLink(in)
		portaltest.Refused(t, err, access.CodeExpired)
		plain := in
		plain.Ticket = mine
		if _, err := b.ProveLink(plain); err != nil {
			t.Errorf("for its own identity: %v", err)
		}
		p.Clock.Advance(core.DefaultResend)
		// to sign in, not to link
		in.Code = p.ReceiveCode(p.CodeRequest(core.ForLogin, portaltest.BuyerPhone, b.Flow))
		_, err = b.ProveLink(in)
		portaltest.Refused(t, err, access.CodeExpired)
		_, err = p.CodeLogin(p.CodeLoginInput(portaltest.BuyerPhone, in.Code, b.Flow))
		portaltest.NoError(t, err)
		p.WantLinks(0)
	})
}
