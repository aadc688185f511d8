package signin_test

import (
	"context"
	"testing"
	"time"

	"portico/portal"
	"portico/portal/access"
	"portico/portal/portaltest"
	"portico/portal/portaltest/chattest"
	"portico/portal/signin"
)

// timedExchange is a provider that notes when it was asked for an exchange, and the deadline.
type timedExchange struct {
	signin.Provider
	asked, deadline time.Time
}

// Exchange notes the time and the deadline, and passes the call on.
func (p *timedExchange) Exchange(
	ctx context.Context, app signin.ProviderApp, token, code string,
) (signin.ProviderIdentity, error) {
	p.asked = time.Now()
	p.deadline, _ = ctx.Deadline()
	return p.Provider.Exchange(ctx, app, token, code)
}

func TestAProviderHasFiveAndAHalfSecondsForAnExchange(t *testing.T) {
	chattest.OnSQLiteWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		timed := &timedExchange{Provider: p.Wechat}
		p.Restart(func(o *portal.Options) { o.Providers.WeChat = timed })
		b := p.Browser(portaltest.AccountHost, chattest.InWeChat)
		w := b.Begin(access.WeChat)
		began := time.Now()
		_, err := b.Finish(w, p.Wechat.Grant(w.App, chattest.Xiao))
		portaltest.NoError(t, err)
		const allowed = 5500 * time.Millisecond // it began between the two times
		if timed.deadline.Before(began.Add(allowed)) || timed.deadline.After(timed.asked.Add(allowed)) {
			t.Errorf("the deadline is %v after the beginning", timed.deadline.Sub(began))
		}
	})
}
