package portal

import (
	"context"
	"errors"
	"time"

	"portico/store"
)

// NewCode draws a code as AskCode does.
var NewCode = newCode

// TakeLicence is what an application does before its transaction.
func (p *Portal) TakeLicence(ctx context.Context, key string, companyID int64, phone string) error {
	return p.takeLicence(ctx, key, companyID, phone)
}

// UseUpload is what an application does in it.
func (p *Portal) UseUpload(ctx context.Context, key string, companyID int64) error {
	return p.useUpload(ctx, p.db, key, companyID)
}

// LookAtPicture is what is done with a file before it is decoded.
func LookAtPicture(data []byte) error {
	_, err := look(data)
	return err
}

// DecodeInTime decodes as a picture is: with its time, and with panics caught. free says that the turn was given back.
func (p *Portal) DecodeInTime(ctx context.Context, decode func(context.Context) error) (free func() bool, err error) {
	given := make(chan struct{})
	_, err = p.inTime(ctx, func() { close(given) }, func(ctx context.Context) (Picture, error) { return Picture{}, decode(ctx) })
	return func() bool {
		select {
		case <-given:
			return true
		case <-time.After(time.Minute):
			return false
		}
	}, err
}

// HoldHeavy takes the turn of heavy pictures until it is given back.
func (p *Portal) HoldHeavy() (giveBack func()) {
	p.decoding.heavy <- struct{}{}
	return func() { <-p.decoding.heavy }
}

// Decoding is how many pictures have a turn.
func (p *Portal) Decoding() int { return len(p.decoding.turns) }

// Hashed is how a state, a code or a token is stored.
func Hashed(token string) string { return hashed(token) }

// CountMany counts views of as many companies and gives how many are held.
func (p *Portal) CountMany(companies int) (held int) {
	for id := range companies {
		p.CountView("login", int64(2_000_000+id), OnPhone)
	}
	for i := range p.views.shards {
		held += len(p.views.shards[i].counts)
	}
	return held
}

// Hashes is how many password hashes were computed.
func (p *Portal) Hashes() int64 { return p.hasher.hashes.Load() }

// CrowdHashQueue takes every core and gives so many strangers places, each in a network of its own, until leave.
func (p *Portal) CrowdHashQueue(strangers int) (leave func()) {
	q := p.hasher.queue
	q.mu.Lock()
	cores := q.free
	q.free = 0
	q.mu.Unlock()
	var places []*hashPlace
	for i := range strangers {
		from := WithCaller(context.Background(), Caller{Address: "10." + decimal(int64(i)) + ".0.1"})
		place, err := q.reserve(from, laneStrangers)
		if err != nil {
			panic(err)
		}
		places = append(places, place)
	}
	return func() {
		for _, place := range places {
			place.leave()
		}
		q.mu.Lock()
		defer q.mu.Unlock()
		for range cores {
			q.next()
		}
	}
}

// WaitForHash is how many wait for a core.
func (p *Portal) WaitForHash() (n int) {
	q := p.hasher.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, lane := range q.lanes {
		n += len(lane)
	}
	return n
}

// PublicNetworks is how many networks' public calls are counted.
func (p *Portal) PublicNetworks() int { return len(p.publicCalls.counts) }

// NameInMessages, LoginInMessage and NickInMessage are how names are cleaned for messages.
var (
	NameInMessages = nameInMessages
	LoginInMessage = loginInMessage
	NickInMessage  = nickInMessage
)

// LoginSlowly signs in as Login does, and runs meanwhile after the password was compared.
func (p *Portal) LoginSlowly(ctx context.Context, in LoginInput, meanwhile func()) (LoginResult, error) {
	g, err := p.prove(ctx, in)
	if err != nil {
		return LoginResult{}, err
	}
	meanwhile()
	return p.loginProven(ctx, in, g)
}

// GuessSlowly signs in by the password of a phone, right or wrong, and runs meanwhile after it was compared.
func (p *Portal) GuessSlowly(ctx context.Context, in LoginInput, meanwhile func()) error {
	phone, err := p.db.PhoneByNumber(ctx, in.Phone)
	if err != nil {
		return err
	}
	g, err := p.guard(ctx, in.passwordTry(), personSubject(phone))
	if err != nil {
		return err
	}
	right, err := g.Compare(ctx, true)
	if err != nil {
		return err
	}
	meanwhile()
	if !right {
		refusal, err := countTried(ctx, []refusedTry{{g, nil}})
		return p.neutral(ctx, errors.Join(refusal, err))
	}
	_, err = p.loginProven(ctx, in, g)
	return err
}

// TryPasswordSlowly asks for the password of a phone as operations do, and runs meanwhile after it was compared.
func (p *Portal) TryPasswordSlowly(ctx context.Context, number, password string, meanwhile func()) error {
	phone, err := p.db.PhoneByNumber(ctx, number)
	if err != nil {
		return err
	}
	g, err := p.guard(ctx, PasswordTry{Password: password}, personSubject(phone))
	if err != nil {
		return err
	}
	right, err := g.Compare(ctx, true)
	if err != nil {
		return err
	}
	meanwhile()
	if !right {
		return g.Wrong(ctx)
	}
	return g.Settle(ctx)
}

// Decimal is how ids are written in the keys of counters.
var Decimal = decimal

// NoteEvent writes an event of an account as any rule does.
func (p *Portal) NoteEvent(ctx context.Context, kind string, m store.Member, detail string) error {
	return p.event(ctx, p.db, kind, m, detail)
}

// DerivedCookie is the cookie of a session that the version before scs renewed with a salt.
func (p *Portal) DerivedCookie(salt, former string) string {
	return p.tag("renewed session", salt+"\x00"+hashed(former))
}
