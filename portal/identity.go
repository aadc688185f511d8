package portal

import (
	"context"
	"errors"
	"slices"
	"time"

	"portico/store"
)

// IdentityTicketLife is how long somebody may take to say who they are here, once a provider has said who they are there.
const IdentityTicketLife = 10 * time.Minute

// ApplicantKept is how long an identity finds the application it sent in.
const ApplicantKept = 180 * day

// IdentityView is an identity as its holder sees it. Phone is masked, Login of an account without a phone; both are "" where nobody is
// signed in by it.
type IdentityView struct {
	Provider ProviderName
	Nick     string
	Phone    string
	Login    string
	Linked   time.Time
	Ref      string // names it in a form
}

// identityTicket is a recognised identity on its way to an account, for the browser or the program that authorised.
type identityTicket struct {
	Known known  `json:"k"`
	Flow  string `json:"f"` // keyed hash of the browser's id; "" where a program holds it
	Kind  Client `json:"c"`
	Until int64  `json:"u"` // Unix ms
}

// holder is who holds a ticket: a browser by its own id, or a program by its kind.
type holder struct {
	Flow   string
	Client Client
}

func (p *Portal) identityTicket(who known, by holder) (string, error) {
	t := identityTicket{Known: who, Kind: by.Client, Until: p.now().Add(IdentityTicketLife).UnixMilli()}
	if by.Client == "" {
		t.Flow = p.flow(by.Flow)
	}
	return p.seal("identity", t)
}

// openTicket reads a ticket for its holder: WeChatExpired for one that is too old, LoginRequired for one that is none or somebody else's
// (requirement 70). WeChatFailed where its company, or the platform, has closed the door meanwhile (requirement 71).
func (p *Portal) openTicket(ctx context.Context, ticket string, by holder) (known, error) {
	var t identityTicket
	if p.unseal("identity", ticket, &t) != nil || t.Kind != by.Client || by.Client == "" && (by.Flow == "" || t.Flow != p.flow(by.Flow)) {
		return known{}, LoginRequired
	}
	if t.Until < p.now().UnixMilli() {
		return known{}, &Refused{Refusal: WeChatExpired}
	}
	return t.Known, p.stillOffered(ctx, t.Known)
}

// stillOffered refuses an identity of an application that is asked no more where it authorised.
func (p *Portal) stillOffered(ctx context.Context, who known) error {
	var c *store.Company
	if who.CompanyID != 0 {
		company, err := p.db.CompanyByID(ctx, who.CompanyID)
		if errors.Is(err, store.ErrNotFound) {
			return &Refused{Refusal: WeChatFailed}
		}
		if err != nil {
			return err
		}
		c = &company
	}
	app, err := p.appFor(ctx, c, who.Kind)
	if err == nil && (app.ID != who.App || app.Owner != who.Owner) {
		err = &Refused{Refusal: WeChatFailed}
	}
	return err
}

// row is how an identity is stored.
func (k known) row() store.Identity {
	return store.Identity{
		Provider: string(k.Provider), App: k.App, Subject: k.Identity.Subject, UnionID: k.Identity.UnionID, OwnerID: k.Owner, Nick: k.Identity.Nick,
	}
}

// linked is whom an identity signs in: by its own row, or by one of the same union (link is then to be made). found is false where nobody
// is, or whoever was is gone; row is what stands in its place.
func (p *Portal) linked(ctx context.Context, who known) (c candidate, row store.Identity, found bool, err error) {
	row, err = p.db.IdentityOf(ctx, string(who.Provider), who.App, who.Identity.Subject)
	if err == nil {
		c, found, err = linkedTo(ctx, p.db, row)
	} else if errors.Is(err, store.ErrNotFound) {
		row, err = store.Identity{}, nil
	}
	if found || err != nil {
		return c, row, found, err
	}
	others, err := p.db.IdentitiesOfUnion(ctx, string(who.Provider), who.Owner, who.Identity.UnionID)
	if err != nil {
		return c, row, false, err
	}
	for _, other := range others {
		if c, found, err = linkedTo(ctx, p.db, other); found || err != nil {
			return c, row, found, err
		}
	}
	return candidate{}, row, false, nil
}

// linkedTo reads the person or the account of a link; false when they are gone.
func linkedTo(ctx context.Context, db *store.DB, i store.Identity) (c candidate, found bool, err error) {
	if i.PhoneID != 0 {
		c.phone, err = db.PhoneByID(ctx, i.PhoneID)
		c.subject, c.hash = phoneSubject(i.PhoneID), c.phone.PasswordHash
	} else {
		c.member, err = db.MemberOfAccount(ctx, i.AccountID)
		c.subject, c.hash = memberSubject(c.member), c.member.PasswordHash
	}
	if errors.Is(err, store.ErrNotFound) {
		return candidate{}, false, nil
	}
	return c, err == nil, err
}

// recognise says what comes of an identity in a browser. Without the browser's own cookie nobody is signed in unseen (requirement 61), and an
// identity that signs nobody in is worth nothing: it might be somebody else's, who would come in by it later.
func (p *Portal) recognise(ctx context.Context, who known, in CallbackInput, own bool) (Callback, error) {
	c, row, found, err := p.linked(ctx, who)
	if err != nil {
		return Callback{}, err
	}
	view := p.identityView(who, c)
	switch {
	case found && !own:
		ask, err := p.seal("sign in by identity", identityTicket{Known: who, Flow: p.flow(in.Fresh), Until: p.now().Add(IdentityTicketLife).UnixMilli()})
		return Callback{Ask: ask, Who: view}, err
	case found:
		result, err := p.signInBy(ctx, in.Begin, who, c, row)
		return Callback{Login: result}, err
	case !own:
		return Callback{}, &Refused{Refusal: WeChatExpired}
	}
	if id, err := p.appliedBy(ctx, who); id != 0 || err != nil {
		return Callback{Application: id}, err
	}
	ticket, err := p.identityTicket(who, holder{Flow: in.Flow})
	return Callback{Ticket: ticket, Who: view}, err
}

func (p *Portal) identityView(who known, c candidate) IdentityView {
	return IdentityView{Provider: who.Provider, Nick: who.Identity.Nick, Phone: MaskPhone(c.phone.Phone), Login: c.member.Login}
}

// ReadAsk is whom a callback recognised; WeChatExpired for what is too old, another browser's, another place's or none.
func (p *Portal) ReadAsk(ctx context.Context, ask, flow string, place Place) (IdentityView, error) {
	who, c, _, err := p.openAsk(ctx, ask, flow, place)
	return p.identityView(who, c), err
}

func (p *Portal) openAsk(ctx context.Context, ask, flow string, place Place) (known, candidate, store.Identity, error) {
	var t identityTicket
	theirs := p.unseal("sign in by identity", ask, &t) == nil && flow != "" && t.Flow == p.flow(flow)
	if !theirs || t.Until < p.now().UnixMilli() || t.Known.CompanyID != place.CompanyID() {
		return known{}, candidate{}, store.Identity{}, &Refused{Refusal: WeChatExpired}
	}
	if err := p.stillOffered(ctx, t.Known); err != nil {
		return t.Known, candidate{}, store.Identity{}, err
	}
	c, row, found, err := p.linked(ctx, t.Known)
	if err == nil && !found {
		err = &Refused{Refusal: WeChatExpired}
	}
	return t.Known, c, row, err
}

// ConfirmSignIn signs in whom a callback recognised, once the person has seen whom. Refused as ReadAsk, and with what blocks a sign-in.
func (p *Portal) ConfirmSignIn(ctx context.Context, ask, flow string, begin LoginInput) (LoginResult, error) {
	who, c, row, err := p.openAsk(ctx, ask, flow, begin.Place)
	if err != nil {
		return LoginResult{}, err
	}
	begin.Lighting = who.Lighting
	result, err := p.signInBy(ctx, begin, who, c, row)
	if err != nil {
		return LoginResult{}, err
	}
	return *result, nil
}

// signInBy signs in whom an identity is linked to, with all that blocks a sign-in.
func (p *Portal) signInBy(ctx context.Context, begin LoginInput, who known, c candidate, row store.Identity) (*LoginResult, error) {
	if err := p.managementOpen(ctx, c, begin); err != nil {
		return nil, err
	}
	result, err := p.signIn(ctx, begin, c, string(who.Provider), func(tx *store.DB) error { return p.noteSignInBy(ctx, tx, who, c, row) })
	if err != nil {
		return nil, err
	}
	return &result, nil
}

// noteSignInBy notes that an identity was used; one of the same union is linked from now on, too. LoginRequired when it was unlinked meanwhile.
func (p *Portal) noteSignInBy(ctx context.Context, tx *store.DB, who known, c candidate, row store.Identity) error {
	i := who.row()
	i.PhoneID, i.AccountID = c.phone.ID, c.member.ID
	same := func(other store.Identity) bool { return other.PhoneID == i.PhoneID && other.AccountID == i.AccountID }
	if !same(row) {
		others, err := tx.IdentitiesOfUnion(ctx, i.Provider, i.OwnerID, i.UnionID)
		if err == nil && !slices.ContainsFunc(others, same) {
			err = LoginRequired
		}
		if err == nil {
			_, err = p.link(ctx, tx, who, c)
		}
		return err
	}
	if i.UnionID == "" {
		i.UnionID = row.UnionID
	}
	if i.Nick == "" {
		i.Nick = row.Nick
	}
	err := tx.UseIdentity(ctx, i, store.At(p.now()))
	if errors.Is(err, store.ErrNotFound) {
		err = LoginRequired
	}
	return err
}

// managementOpen refuses whoever could only go to the management side from inside WeChat while that is closed there.
func (p *Portal) managementOpen(ctx context.Context, c candidate, begin LoginInput) error {
	if !p.managerClosed(callerOf(ctx).Agent) {
		return nil
	}
	members, err := p.provenMembers(ctx, c)
	if err != nil {
		return err
	}
	members = slices.DeleteFunc(p.inPlace(members, begin.Place.CompanyID()), func(m store.Member) bool {
		return BlockedBy(m, begin.Lighting, p.now()) != "" || begin.AccountID != 0 && m.ID != begin.AccountID
	})
	shop := func(m store.Member) bool { return m.Side == store.Shop }
	if len(members) == 0 || slices.ContainsFunc(members, shop) {
		return nil
	}
	return p.blocked(members[0], WeChatManagerClosed)
}

// managerClosed says that the management side is closed to this User-Agent (specification section 8).
func (p *Portal) managerClosed(agent string) bool {
	return p.providers.ManagerClosed && ChatAppOf(agent) == InWeChat
}

// appliedBy is the application that an identity has sent in to the company where it authorised, while it waits or after it was rejected; 0 for
// none. Who was approved, or was given an account meanwhile, has one to be linked.
func (p *Portal) appliedBy(ctx context.Context, who known) (int64, error) {
	if who.CompanyID == 0 {
		return 0, nil
	}
	phone, err := p.phoneOfApplicant(ctx, who, who.CompanyID)
	if phone == "" || err != nil {
		return 0, err
	}
	person, err := p.db.PhoneByNumber(ctx, phone)
	if err == nil {
		members, err := p.db.MembersByPhone(ctx, person.ID)
		if err != nil || len(p.inPlace(members, who.CompanyID)) > 0 {
			return 0, err
		}
	} else if !errors.Is(err, store.ErrNotFound) {
		return 0, err
	}
	a, err := p.db.LastApplication(ctx, who.CompanyID, phone)
	if errors.Is(err, store.ErrNotFound) || err == nil && a.State == store.ApplicationApproved {
		return 0, nil
	}
	return a.ID, err
}

// phoneOfApplicant is the phone that an identity applied to a company with, "" for none.
func (p *Portal) phoneOfApplicant(ctx context.Context, who known, companyID int64) (phone string, err error) {
	sealed, err := p.db.PhoneOfApplicant(ctx, companyID, string(who.Provider), who.App, who.Identity.Subject)
	if errors.Is(err, store.ErrNotFound) || err == nil && p.unseal("applicant phone", sealed, &phone) != nil { // of another master key
		return "", nil
	}
	return phone, err
}

// NoteApplicant remembers for ApplicantKept with which phone an identity applies to a company, so that it finds its application again. A ticket that is none is
// no fault: nothing is remembered.
func (p *Portal) NoteApplicant(ctx context.Context, ticket, flow string, companyID int64, phone string) error {
	who, err := p.openTicket(ctx, ticket, holder{Flow: flow})
	if err != nil || who.CompanyID != companyID {
		if errors.As(err, new(*Refused)) || errors.Is(err, LoginRequired) {
			err = nil
		}
		return err
	}
	sealed, err := p.seal("applicant phone", phone)
	if err != nil {
		return err
	}
	return p.db.NoteIdentityApplicant(ctx, store.IdentityApplicant{
		CompanyID: companyID, Provider: string(who.Provider), App: who.App, Subject: who.Identity.Subject, Phone: sealed, At: store.At(p.now()),
	})
}

// IdentityOfTicket is who holds a ticket, to be shown; what openTicket refuses.
func (p *Portal) IdentityOfTicket(ctx context.Context, ticket, flow string) (IdentityView, error) {
	who, err := p.openTicket(ctx, ticket, holder{Flow: flow})
	return p.identityView(who, candidate{}), err
}

// Identities lists what signs the person of a session in, besides passwords and codes.
func (p *Portal) Identities(ctx context.Context, s Session) ([]IdentityView, error) {
	rows, logins, err := p.identitiesOf(ctx, p.db, s)
	if err != nil {
		return nil, err
	}
	views := make([]IdentityView, len(rows))
	for i, row := range rows {
		views[i] = IdentityView{
			Provider: ProviderName(row.Provider), Nick: row.Nick, Login: logins[row.AccountID], Linked: row.LinkedAt.Time(), Ref: p.identityRef(row),
		}
	}
	return views, nil
}

// identitiesOf are what signs the person of a session in and, of a phone, what signs its accounts in here, with the logins of those.
func (p *Portal) identitiesOf(ctx context.Context, db *store.DB, s Session) ([]store.Identity, map[int64]string, error) {
	rows, err := db.IdentitiesOf(ctx, s.PhoneID, s.AccountID)
	if err != nil || s.PhoneID == 0 {
		return rows, nil, err
	}
	members, err := db.MembersByPhone(ctx, s.PhoneID)
	if err != nil {
		return nil, nil, err
	}
	logins := map[int64]string{}
	for _, m := range p.inPlace(members, s.CompanyID) {
		own, err := db.IdentitiesOf(ctx, 0, m.ID)
		if err != nil {
			return nil, nil, err
		}
		rows, logins[m.ID] = append(rows, own...), m.Login
	}
	return rows, logins, nil
}

func (p *Portal) identityRef(i store.Identity) string {
	return p.tag("identity", i.Provider+"\x00"+i.App+"\x00"+i.Subject)
}

// Unlink takes an identity off the person of a session, at every application of its owner where the provider says it is the same person; any other is
// NotFound (requirement 56).
func (p *Portal) Unlink(ctx context.Context, s Session, ref string) error {
	return p.db.Tx(ctx, func(tx *store.DB) error {
		rows, _, err := p.identitiesOf(ctx, tx, s)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(rows, func(row store.Identity) bool { return p.identityRef(row) == ref })
		if i < 0 {
			return NotFound
		}
		for _, row := range rows {
			if row != rows[i] && !sameUnion(row, rows[i]) {
				continue
			}
			if err := tx.DropIdentity(ctx, row); err != nil {
				if errors.Is(err, store.ErrNotFound) {
					err = NotFound
				}
				return err
			}
		}
		return p.event(ctx, tx, "identity_unlinked", store.Member{Account: store.Account{ID: s.AccountID, PhoneID: s.PhoneID}}, rows[i].Provider)
	})
}

func sameUnion(a, b store.Identity) bool {
	return a.UnionID != "" && a.UnionID == b.UnionID && a.Provider == b.Provider && a.OwnerID == b.OwnerID
}

// dropIdentities takes every identity off a person and their accounts, or off one account: whoever has just proven to be the owner may not
// know who linked them (requirement 43).
func (p *Portal) dropIdentities(ctx context.Context, tx *store.DB, owner candidate) error {
	accounts := []store.Member{owner.member}
	if owner.phone.ID != 0 {
		var err error
		if accounts, err = tx.MembersByPhone(ctx, owner.phone.ID); err != nil {
			return err
		}
		accounts = append(accounts, store.Member{})
	}
	dropped := int64(0)
	for _, m := range accounts {
		n, err := tx.DropIdentities(ctx, owner.phone.ID, m.ID)
		if err != nil {
			return err
		}
		dropped += n
	}
	if dropped == 0 {
		return nil
	}
	return p.event(ctx, tx, "identity_unlinked", owner.who(), "a new password")
}
