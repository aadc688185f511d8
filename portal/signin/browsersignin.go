package signin

import (
	"context"
	"slices"

	"portico/portal/access"
	"portico/portal/accounts"
	"portico/portal/entry"
	"portico/portal/limits"
	"portico/store"
)

// BrowserSignIn is a sign-in that leads to a session of a browser.
type BrowserSignIn struct {
	portal *Signin
	SignIn
	Browser access.Browser

	// enter is how to enter an account when the sign-in leads straight into one, nil to leave that to the caller. A
	// person who first has to accept version agreement of the agreement does not enter.
	enter     *access.EnterInput
	agreement string

	result LoginResult
	entry  *entry.OneTimeCode // nil when the sign-in enters no account
}

// SignInBrowser signs a proven subject in with a new session of the browser.
func (s *Signin) SignInBrowser(ctx context.Context, in BrowserSignIn) (LoginResult, error) {
	in.portal, in.place, in.lighting = s, in.Browser.Place, in.Browser.Lighting
	if err := s.signIn(s.sessions.WithSession(ctx), in.SignIn, &in); err != nil {
		return LoginResult{}, err
	}
	if in.entry != nil {
		in.result.Entered = &in.entry.To
	}
	return in.result, nil
}

func (in *BrowserSignIn) prepare(ctx context.Context, members []store.Member) (refusal, err error) {
	p, subject := in.portal, in.Subject
	in.result = p.FreshLogin(ctx, in.Browser, subject)
	switch {
	case subject.Member.FirstPasswordUntil != 0:
		in.result.Step = accounts.StepOf(accounts.StepPassword, subject.Member)
	case OffersBinding(subject.Member):
		in.result.Step = accounts.StepOf(accounts.StepBind, subject.Member)
	default:
		in.result.Step, err = p.accounts.StartStep(ctx, in.result.Device, subject.Phone, members, in.lighting)
	}
	if err != nil {
		return nil, err
	}
	in.entry, err = p.straightEntry(ctx, *in, members)
	return nil, err
}

func (in *BrowserSignIn) add(ctx context.Context, tx *store.DB, b *store.Batch) error {
	p := in.portal
	if err := p.sessions.EndOldSession(ctx, tx, in.place.Host); err != nil {
		return err
	}
	if err := p.addSession(ctx, tx, b, in.Subject, &in.result); err != nil {
		return err
	}
	if in.entry != nil {
		in.entry.Code.SessionID = in.result.Session.ID
		p.entry.AddEntry(b, in.result.Session, *in.entry)
	}
	return nil
}

func (in *BrowserSignIn) audited() (who store.Member, how string) {
	if in.entry != nil {
		return in.entry.Member, in.How + ", " + string(in.entry.Code.Slot)
	}
	return in.Subject.Who(), in.How
}

// straightEntry makes the entry of a sign-in that leads straight into an account. It returns nil when the person has a
// choice, or something has to be done first, or in.enter is not set. It also returns nil for a refusal: Enter refuses.
func (s *Signin) straightEntry(
	ctx context.Context, in BrowserSignIn, members []store.Member,
) (*entry.OneTimeCode, error) {
	session, step := in.result.Session, in.result.Step
	if in.enter == nil || step.Kind != accounts.StepEnter {
		return nil, nil
	}
	due, err := s.accounts.AgreementDue(ctx, session, in.agreement)
	if due || err != nil {
		return nil, err
	}
	i := slices.IndexFunc(members, func(m store.Member) bool { return m.ID == step.AccountID })
	if i < 0 {
		return nil, nil
	}
	enter := *in.enter
	enter.Session, enter.AccountID, enter.Place, enter.By = session, members[i].ID, in.place, s.entry.CallerTag(ctx)
	entry, err := s.entry.NewEntry(ctx, enter, members[i])
	if access.IsRefused(err) {
		return nil, nil
	}
	return &entry, err
}

// FreshLogin returns the session for a subject whose proof was accepted. addSession gives it its id and its cookie.
func (s *Signin) FreshLogin(ctx context.Context, browser access.Browser, of access.Subject) LoginResult {
	browser.Device = browser.DeviceOrNew()
	session := s.sessions.NewSession(ctx, browser)
	session.PhoneID, session.AccountID, session.Provider = of.Phone.ID, of.Member.ID, string(of.Provider)
	return LoginResult{Device: browser.Device, Session: session}
}

// Begin signs the browser in: the session it held before ends.
func (s *Signin) Begin(
	ctx context.Context, tx *store.DB, place access.Place, c access.Subject, how string, result *LoginResult,
) error {
	ctx = s.sessions.WithSession(ctx)
	if err := s.sessions.EndOldSession(ctx, tx, place.Host); err != nil {
		return err
	}
	b := new(store.Batch)
	if err := s.addSession(ctx, tx, b, c, result); err != nil {
		return err
	}
	if err := tx.Run(ctx, b); err != nil {
		return err
	}
	return s.access.Event(ctx, tx, "sign_in", c.Who(), how)
}

// addSession adds the new session to a batch, under a new cookie, and notes that the browser is known to the person.
func (s *Signin) addSession(
	ctx context.Context, tx *store.DB, b *store.Batch, c access.Subject, result *LoginResult,
) error {
	if err := s.AddLogin(ctx, tx, b, result); err != nil {
		return err
	}
	now := result.Session.CreatedAt
	b.KnowDevice(result.Device, c.Key, now, store.At(now.Time().Add(-limits.DeviceNotedFor)))
	return nil
}

// AddLogin adds the new session to a batch, under a new cookie.
func (s *Signin) AddLogin(ctx context.Context, tx *store.DB, b *store.Batch, result *LoginResult) (err error) {
	if result.Token, err = s.sessions.NewCookie(ctx); err != nil {
		return err
	}
	result.Session.ID = access.Hashed(result.Token)
	_, err = s.sessions.CommitSession(ctx, tx, b, store.BrowserSession{Session: result.Session})
	return err
}
