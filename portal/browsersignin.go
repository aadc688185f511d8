package portal

import (
	"context"
	"slices"

	"portico/store"
)

// browserSignIn is a sign-in that leads to a session of a browser.
type browserSignIn struct {
	portal *Portal
	signIn
	browser Browser

	// enter is how to enter an account when the sign-in leads straight into one, nil to leave that to the caller. A
	// person who first has to accept version agreement of the agreement does not enter.
	enter     *EnterInput
	agreement string

	result LoginResult
	entry  *entry // nil when the sign-in enters no account
}

// signInBrowser signs a proven subject in with a new session of the browser.
func (p *Portal) signInBrowser(ctx context.Context, in browserSignIn) (LoginResult, error) {
	in.portal, in.place, in.lighting = p, in.browser.Place, in.browser.Lighting
	if err := p.signIn(p.withSession(ctx), in.signIn, &in); err != nil {
		return LoginResult{}, err
	}
	if in.entry != nil {
		in.result.Entered = &in.entry.to
	}
	return in.result, nil
}

func (in *browserSignIn) prepare(ctx context.Context, members []store.Member) (refusal, err error) {
	p, subject := in.portal, in.subject
	in.result = p.freshLogin(ctx, in.browser, subject)
	switch {
	case subject.member.FirstPasswordUntil != 0:
		in.result.Step = stepOf(StepPassword, subject.member)
	case offersBinding(subject.member):
		in.result.Step = stepOf(StepBind, subject.member)
	default:
		in.result.Step, err = p.startStep(ctx, in.result.Device, subject.phone, members, in.lighting)
	}
	if err != nil {
		return nil, err
	}
	in.entry, err = p.straightEntry(ctx, *in, members)
	return nil, err
}

func (in *browserSignIn) add(ctx context.Context, tx *store.DB, b *store.Batch) error {
	p := in.portal
	if err := p.endOldSession(ctx, tx, in.place.Host); err != nil {
		return err
	}
	if err := p.addSession(ctx, tx, b, in.subject, &in.result); err != nil {
		return err
	}
	if in.entry != nil {
		in.entry.code.SessionID = in.result.Session.ID
		p.addEntry(b, in.result.Session, *in.entry)
	}
	return nil
}

func (in *browserSignIn) audited() (who store.Member, how string) {
	if in.entry != nil {
		return in.entry.member, in.how + ", " + string(in.entry.code.Slot)
	}
	return in.subject.who(), in.how
}

// straightEntry makes the entry of a sign-in that leads straight into an account. It returns nil when the person has a
// choice, or something has to be done first, or in.enter is not set. It also returns nil for a refusal: Enter refuses.
func (p *Portal) straightEntry(ctx context.Context, in browserSignIn, members []store.Member) (*entry, error) {
	session, step := in.result.Session, in.result.Step
	if in.enter == nil || step.Kind != StepEnter {
		return nil, nil
	}
	due, err := p.AgreementDue(ctx, session, in.agreement)
	if due || err != nil {
		return nil, err
	}
	i := slices.IndexFunc(members, func(m store.Member) bool { return m.ID == step.AccountID })
	if i < 0 {
		return nil, nil
	}
	enter := *in.enter
	enter.Session, enter.AccountID, enter.Place, enter.by = session, members[i].ID, in.place, p.callerTag(ctx)
	entry, err := p.newEntry(ctx, enter, members[i])
	if isRefused(err) {
		return nil, nil
	}
	return &entry, err
}

// freshLogin returns the session for a subject whose proof was accepted. addSession gives it its id and its cookie.
func (p *Portal) freshLogin(ctx context.Context, browser Browser, of Subject) LoginResult {
	browser.Device = browser.deviceOrNew()
	session := p.newSession(ctx, browser)
	session.PhoneID, session.AccountID, session.Provider = of.phone.ID, of.member.ID, string(of.provider)
	return LoginResult{Device: browser.Device, Session: session}
}

// begin signs the browser in: the session it held before ends.
func (p *Portal) begin(
	ctx context.Context, tx *store.DB, place Place, c Subject, how string, result *LoginResult,
) error {
	ctx = p.withSession(ctx)
	if err := p.endOldSession(ctx, tx, place.Host); err != nil {
		return err
	}
	b := new(store.Batch)
	if err := p.addSession(ctx, tx, b, c, result); err != nil {
		return err
	}
	if err := tx.Run(ctx, b); err != nil {
		return err
	}
	return p.event(ctx, tx, "sign_in", c.who(), how)
}

// addSession adds the new session to a batch, under a new cookie, and notes that the browser is known to the person.
func (p *Portal) addSession(
	ctx context.Context, tx *store.DB, b *store.Batch, c Subject, result *LoginResult,
) error {
	if err := p.addLogin(ctx, tx, b, result); err != nil {
		return err
	}
	now := result.Session.CreatedAt
	b.KnowDevice(result.Device, c.key, now, store.At(now.Time().Add(-DeviceNotedFor)))
	return nil
}

// addLogin adds the new session to a batch, under a new cookie.
func (p *Portal) addLogin(ctx context.Context, tx *store.DB, b *store.Batch, result *LoginResult) (err error) {
	if result.Token, err = p.newCookie(ctx); err != nil {
		return err
	}
	result.Session.ID = hashed(result.Token)
	_, err = p.commitSession(ctx, tx, b, store.BrowserSession{Session: result.Session})
	return err
}
