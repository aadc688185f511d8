package portaltest

import (
	"log/slog"

	"portico/portal/access"
	"portico/portal/signin"
	"portico/store"
)

// LandWithSession is the landing page of an account that a session enters.
func (p *Platform) LandWithSession(s store.Session, login string) access.Landing {
	p.T.Helper()
	d := p.Enter(signin.LoginResult{Session: s}, AccountHost, login, PhoneScreen)
	result, err := p.Redeem(d, "")
	NoError(p.T, err)
	here, err := p.LandingAt(d, result.Token)
	NoError(p.T, err)
	return here
}

// Identities that were planted before the rightful owner proved who they are.

// Callbacks in a browser that did not bring its cookie, and in one that never began them.

const ()

func NewLogger(j *LogBuffer) *slog.Logger { return slog.New(slog.NewJSONHandler(j, nil)) }
