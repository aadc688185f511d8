package signin

import (
	"context"
	"slices"

	"portico/portal/access"
	"portico/portal/core"
	"portico/store"
)

// BrowserSignIn is a sign-in that ends in a session of a browser.
type BrowserSignIn struct {
	signin *Signin
	SignIn
	Browser access.Browser

	// enter is how to enter an account when the sign-in leads straight into one, nil to leave that to the caller. A
	// person who has not accepted this version of the agreement does not enter.
	enter     *access.EnterInput
	agreement string

	result LoginResult
	entry  *OneTimeCode // nil when the sign-in enters no account
}

// SignInBrowser signs a proven subject in with a new session of the browser.
func (s *Signin) SignInBrowser(ctx context.Context, in BrowserSignIn) (LoginResult, error) {
	in.signin = s
	in.place = in.Browser.Place
	in.lighting = in.Browser.Lighting
	if err := s.signIn(s.core.Sessions.WithSession(ctx), in.SignIn, &in); err != nil {
		return LoginResult{}, err
	}
	if in.entry != nil {
		in.result.Entered = &in.entry.To
	}
	return in.result, nil
}

func (in *BrowserSignIn) prepare(ctx context.Context, members []store.Member) (refusal, err error) {
	s, subject := in.signin, in.Subject
	in.result = s.FreshLogin(ctx, in.Browser, subject)
	switch {
	case subject.Member.FirstPasswordUntil != 0:
		in.result.Step = StepOf(StepPassword, subject.Member)
	case OffersBinding(subject.Member):
		in.result.Step = StepOf(StepBind, subject.Member)
	default:
		in.result.Step, err = s.accounts.StartStep(ctx, in.result.Device, subject.Person, members, in.lighting)
	}
	if err != nil {
		return nil, err
	}
	in.entry, err = s.straightEntry(ctx, *in, members)
	return nil, err
}

func (in *BrowserSignIn) add(ctx context.Context, tx *store.DB, b *store.Batch) error {
	s := in.signin
	if err := s.core.Sessions.EndOldSession(ctx, tx, in.place.Host); err != nil {
		return err
	}
	if err := s.addSession(ctx, tx, b, in.Subject, &in.result); err != nil {
		return err
	}
	if in.entry != nil {
		in.entry.Code.SessionID = in.result.Session.ID
		s.entry.AddEntry(b, in.result.Session, *in.entry)
	}
	return nil
}

func (in *BrowserSignIn) audited() (who store.Member, how string) {
	if in.entry != nil {
		return in.entry.Member, in.How + ", " + string(in.entry.Code.Slot)
	}
	return in.Subject.Who(), in.How
}

// straightEntry makes the one-time code for a sign-in that leads straight into an account. It returns nil when in.enter
// is not set, when the person has to choose or to do something else first, and when the account refuses the entry: the
// caller then calls Enter, which returns that refusal.
func (s *Signin) straightEntry(
	ctx context.Context, in BrowserSignIn, members []store.Member,
) (*OneTimeCode, error) {
	session, step := in.result.Session, in.result.Step
	if in.enter == nil || step.Kind != StepEnter {
		return nil, nil
	}
	due, err := s.accounts.Agreements.Due(ctx, session, in.agreement)
	if due || err != nil {
		return nil, err
	}
	i := slices.IndexFunc(members, func(m store.Member) bool { return m.ID == step.AccountID })
	if i < 0 {
		return nil, nil
	}
	enter := *in.enter
	enter.Session = session
	enter.AccountID = members[i].ID
	enter.Place = in.place
	enter.By = s.entry.CallerTag(ctx)
	entry, err := s.entry.NewEntry(ctx, enter, members[i])
	if access.IsRefused(err) {
		return nil, nil
	}
	return &entry, err
}

// OffersBinding says whether a person who signed in with the name of this account is asked to bind a phone.
func OffersBinding(m store.Member) bool { return m.ID != 0 && m.PersonID == 0 && m.BindReminder }

// FreshLogin returns a session for a subject that was proven. The session is not stored yet and has neither id nor
// cookie: Begin or AddLogin gives it both.
func (s *Signin) FreshLogin(ctx context.Context, browser access.Browser, subject access.Subject) LoginResult {
	browser.Device = browser.DeviceOrNew()
	session := s.core.Sessions.NewSession(ctx, browser)
	session.PersonID = subject.Person.ID
	session.AccountID = subject.Member.ID
	session.Provider = string(subject.Provider)
	return LoginResult{Device: browser.Device, Session: session}
}

// Begin signs a browser in within the caller's transaction. It ends the session that the browser had on this host,
// stores the one in result under a new cookie, and records the sign-in in the audit log. how says what proved the
// person.
func (s *Signin) Begin(
	ctx context.Context, tx *store.DB, place access.Place, c access.Subject, how string, result *LoginResult,
) error {
	ctx = s.core.Sessions.WithSession(ctx)
	if err := s.core.Sessions.EndOldSession(ctx, tx, place.Host); err != nil {
		return err
	}
	b := new(store.Batch)
	if err := s.addSession(ctx, tx, b, c, result); err != nil {
		return err
	}
	if err := tx.Run(ctx, b); err != nil {
		return err
	}
	return s.core.Access.Event(ctx, tx, "sign_in", c.Who(), how)
}

// addSession does what AddLogin does, and also notes that the person has signed in with this browser.
func (s *Signin) addSession(
	ctx context.Context, tx *store.DB, b *store.Batch, c access.Subject, result *LoginResult,
) error {
	if err := s.AddLogin(ctx, tx, b, result); err != nil {
		return err
	}
	now := result.Session.CreatedAt
	b.KnowDevice(result.Device, c.Key, now, store.At(now.Time().Add(-core.DeviceNotedFor)))
	return nil
}

// AddLogin adds the session of result to a batch. It makes the cookie and sets result.Token and the id of the session.
func (s *Signin) AddLogin(ctx context.Context, tx *store.DB, b *store.Batch, result *LoginResult) (err error) {
	if result.Token, err = s.core.Sessions.NewCookie(ctx); err != nil {
		return err
	}
	result.Session.ID = access.Hashed(result.Token)
	_, err = s.core.Sessions.CommitSession(ctx, tx, b, store.BrowserSession{Session: result.Session})
	return err
}
