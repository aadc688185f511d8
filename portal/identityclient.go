package portal

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"net/url"
	"slices"

	"portico/store"
)

// AppParamsInput asks what a page needs to authorise and to call the JS-SDK. URL is that page, of one of our own sites; ProviderName is work-chat, or WeChat
// where a company has no work-chat, unless it is said.
type AppParamsInput struct {
	CompanyID int64        `json:"company_id_"`
	CorpID    string       `json:"corp_id_"`
	URL       string       `json:"url_"`
	Provider  ProviderName `json:"provider_"`

	Client Client
	Site   int64 // the company whose site the caller says it is on, 0 for none
}

// AppParams are they: Timestamp is in seconds, AuthorizeURL comes back to the page with code and state. The tickets that sign stay here
// (requirement 73).
type AppParams struct {
	App            ProviderApp
	AuthorizeURL   string
	Timestamp      int64
	Nonce          string
	CorpSignature  string // of WeChat: the page's
	AgentSignature string // "" of WeChat
}

// AppParams signs a page and begins an authorisation for a program. ValidationFailed for a page that is none of ours; WeChatFailed where the company has
// no such door.
func (p *Portal) AppParams(ctx context.Context, in AppParamsInput) (AppParams, error) {
	c, err := p.companyOfApp(ctx, in.CompanyID, in.CorpID, in.Site)
	if err != nil {
		return AppParams{}, err
	}
	page, err := p.ownPage(ctx, in.URL)
	if err != nil {
		return AppParams{}, err
	}
	door, err := p.clientDoor(c, in.Provider)
	if err != nil {
		return AppParams{}, err
	}
	app, err := p.appFor(ctx, c, door.kind())
	if err != nil {
		return AppParams{}, err
	}
	if err := p.countUpTo(ctx, p.db, "signatures:"+network(callerOf(ctx).Address), Signatures, AuthorisationLife); err != nil {
		return AppParams{}, err
	}
	raw := make([]byte, 8)
	_, _ = rand.Read(raw) // never fails
	result := AppParams{App: app, Timestamp: p.now().Unix(), Nonce: hex.EncodeToString(raw)}
	if result.CorpSignature, err = p.signPage(ctx, door.Provider(), app, PageTicket, result, page); err != nil {
		return AppParams{}, providerRefusal(err)
	}
	if door == DoorWeCom {
		if result.AgentSignature, err = p.signPage(ctx, WeCom, app, AgentTicket, result, page); err != nil {
			return AppParams{}, providerRefusal(err)
		}
	}
	a := store.Authorisation{Door: string(door), Client: string(in.Client)}
	if c != nil {
		a.CompanyID = c.ID
	}
	page.Fragment = ""
	result.AuthorizeURL, err = p.authorise(ctx, a, app, page.String(), door.scope(false))
	return result, err
}

// Signatures is how many pages one address may have signed in AuthorisationLife.
const Signatures = 300

func (p *Portal) signPage(ctx context.Context, name ProviderName, app ProviderApp, kind TokenKind, with AppParams, page *url.URL) (string, error) {
	ticket, err := p.providerToken(ctx, name, app, kind)
	if err != nil {
		return "", err
	}
	return p.provider(name).Sign(ticket, with.Nonce, with.Timestamp, page.String()), nil
}

// clientDoor is the door of a program: the provider asked for, or the one there is.
func (p *Portal) clientDoor(c *store.Company, name ProviderName) (Door, error) {
	doors := []Door{DoorWeCom, DoorWeChat}
	i := slices.IndexFunc(doors, func(d Door) bool { return (name == "" || d.Provider() == name) && p.offers(c, d.kind()) })
	if i < 0 {
		return "", &Refused{Refusal: WeChatFailed}
	}
	return doors[i], nil
}

// companyOfApp is the company a program means: by its id, or by the id of its application at work-chat; nil where it means the platform itself. NotFound.
func (p *Portal) companyOfApp(ctx context.Context, id int64, corp string, site int64) (*store.Company, error) {
	id = cmp.Or(id, site)
	if site != 0 && id != site {
		return nil, &Refused{Refusal: WrongParameters}
	}
	if id == 0 && corp == "" {
		return nil, invalid(Fields{"company_id": ChoiceRequired})
	}
	if corp != "" && corp != p.platformApp(store.WeComCorp).ID {
		own, err := p.credentialsOf(ctx, id, corp)
		if errors.Is(err, store.ErrNotFound) || err == nil && own.App != corp {
			err = NotFound
		}
		if err != nil {
			return nil, err
		}
		id = own.CompanyID
	}
	if id == 0 {
		return nil, nil
	}
	c, err := p.db.CompanyByID(ctx, id)
	if errors.Is(err, store.ErrNotFound) {
		err = NotFound
	}
	return &c, err
}

// credentialsOf are those of a company at work-chat, of the first that has the application where id is 0: several may share an enterprise.
func (p *Portal) credentialsOf(ctx context.Context, id int64, corp string) (store.Credentials, error) {
	if id != 0 {
		return p.db.CredentialsOf(ctx, id, store.WeComCorp)
	}
	return p.db.CredentialsByApp(ctx, store.WeComCorp, corp)
}

// maxPage is the longest address of a page, in bytes.
const maxPage = 1024

// ownPage reads the address of a page of one of our own sites, or of a company's own domain (requirement 78).
func (p *Portal) ownPage(ctx context.Context, address string) (*url.URL, error) {
	page, err := url.Parse(address)
	if err != nil || len(address) > maxPage || page.Host == "" || page.User != nil || page.Opaque != "" {
		return nil, invalid(Fields{"url": HostMalformed})
	}
	ours, err := p.OwnOrigin(ctx, page.Scheme+"://"+page.Host)
	if err == nil && !ours {
		err = invalid(Fields{"url": HostMalformed})
	}
	return page, err
}

// ClientCallbackInput is what a program came back with from a provider.
type ClientCallbackInput struct {
	Code      string `json:"code_"`
	State     string `json:"state_"`
	CompanyID int64  `json:"company_id_"`
	CorpID    string `json:"corp_id_"`

	Provider ProviderName
	Client   Client
	Lighting bool
	Site     int64
}

// ClientCallback is who came back. User is set, with its token, where the identity signs a single account in that can be entered.
type ClientCallback struct {
	Identity ProviderIdentity
	Ticket   string // for LoginByTicket and BindByTicket
	Linked   bool
	Applied  bool
	User     *User
}

// FinishForClient is FinishAuthorisation for a program that authorised by AppParams. Refused the same way; login signs in at once whom the identity is
// linked to, with what blocks that.
func (p *Portal) FinishForClient(ctx context.Context, in ClientCallbackInput, login bool) (ClientCallback, error) {
	c, err := p.companyOfState(ctx, in)
	if err != nil {
		return ClientCallback{}, err
	}
	a, err := p.authorisation(ctx, in.State)
	if err != nil {
		return ClientCallback{}, err
	}
	var companyID int64
	if c != nil {
		companyID = c.ID
	}
	if a.Client == "" || a.Client != string(in.Client) || a.CompanyID != companyID || a.Provider != string(in.Provider) {
		return ClientCallback{}, p.strange(ctx, "another program or company")
	}
	who, err := p.exchangeOnce(ctx, a, c, in.Code, true)
	if err != nil {
		return ClientCallback{}, err
	}
	result := ClientCallback{Identity: who.Identity}
	if result.Ticket, err = p.identityTicket(who, holder{Client: in.Client}); err != nil {
		return ClientCallback{}, err
	}
	applied, err := p.appliedBy(ctx, who)
	if err != nil {
		return ClientCallback{}, err
	}
	cand, row, found, err := p.linked(ctx, who)
	if err != nil {
		return ClientCallback{}, err
	}
	result.Linked, result.Applied = found, applied != 0
	if !found || !login {
		return result, nil
	}
	signed, err := p.signInClientBy(ctx, MixedLoginInput{CompanyID: companyID, Client: in.Client, Lighting: in.Lighting}, who, cand, row)
	if signed.User != nil {
		result.User = signed.User
	}
	return result, err
}

// companyOfState is the company a program says it came back to, nil for none.
func (p *Portal) companyOfState(ctx context.Context, in ClientCallbackInput) (*store.Company, error) {
	if in.CompanyID == 0 && in.CorpID == "" && in.Site == 0 {
		return nil, nil
	}
	return p.companyOfApp(ctx, in.CompanyID, in.CorpID, in.Site)
}

// TicketLoginInput signs a program in by an identity that a provider gave to it. Login and Password are of BindByTicket.
type TicketLoginInput struct {
	Ticket    string `json:"ticket_"`
	CompanyID int64  `json:"company_id_"`
	AccountID int64  `json:"account_id_"`

	Client   Client
	Lighting bool
	Site     int64
}

// LoginByTicket signs in whom an identity is linked to, as MixedLogin does. LoginRequired for a ticket that is none; AccountNotFound where the identity signs nobody
// in.
func (p *Portal) LoginByTicket(ctx context.Context, in TicketLoginInput) (MixedLogin, error) {
	in.CompanyID = cmp.Or(in.CompanyID, in.Site)
	if in.Site != 0 && in.CompanyID != in.Site {
		return MixedLogin{}, &Refused{Refusal: WrongParameters}
	}
	who, err := p.openTicket(ctx, in.Ticket, holder{Client: in.Client})
	if err != nil {
		return MixedLogin{}, err
	}
	c, row, found, err := p.linked(ctx, who)
	if err == nil && !found {
		err = &Refused{Refusal: AccountNotFound}
	}
	if err != nil {
		return MixedLogin{}, err
	}
	try := MixedLoginInput{CompanyID: in.CompanyID, AccountID: in.AccountID, Client: in.Client, Lighting: in.Lighting}
	return p.signInClientBy(ctx, try, who, c, row)
}

func (p *Portal) signInClientBy(ctx context.Context, in MixedLoginInput, who known, c candidate, row store.Identity) (MixedLogin, error) {
	place := placeOfCompany(in.CompanyID)
	if err := p.managementOpen(ctx, c, LoginInput{Place: place}); err != nil {
		return MixedLogin{}, err
	}
	return p.signInClient(ctx, in, place, c, string(who.Provider), func(tx *store.DB) error { return p.noteSignInBy(ctx, tx, who, c, row) })
}

// BindByTicketInput links an identity to an account by its password, in one call: the program shows what it is about to do.
type BindByTicketInput struct {
	Ticket    string `json:"ticket_"`
	Login     string `json:"login_"`
	Password  string `json:"password_"`
	AccountID int64  `json:"account_id_"`
	Question  string `json:"question_"`
	Answer    string `json:"answer_"`

	Client   Client
	Lighting bool
	Site     int64
}

// BindByTicket proves an account as MixedLogin does, links the identity to it and signs in. What ConfirmLink and MixedLogin refuse.
func (p *Portal) BindByTicket(ctx context.Context, in BindByTicketInput) (MixedLogin, error) {
	who, err := p.openTicket(ctx, in.Ticket, holder{Client: in.Client})
	if err != nil {
		return MixedLogin{}, err
	}
	mixed := MixedLoginInput{
		Login: in.Login, Password: in.Password, AccountID: in.AccountID, CompanyID: in.Site, Question: in.Question, Answer: in.Answer, Client: in.Client, Lighting: in.Lighting,
	}
	place, proof, err := p.proveMixed(ctx, mixed)
	if err != nil {
		return MixedLogin{}, err
	}
	if err := p.db.Tx(ctx, func(tx *store.DB) error { return p.passed(ctx, tx, proof.guard, proof.before) }); err != nil {
		return MixedLogin{}, err
	}
	c, err := p.asStored(ctx, proof.candidate, in.Password)
	if err != nil {
		return MixedLogin{}, err
	}
	begin := LoginInput{Place: place, Lighting: in.Lighting}
	members, err := p.linkable(ctx, c, begin)
	if err == nil && in.AccountID != 0 {
		_, err = p.only(members, in.AccountID, in.Lighting)
	}
	if err == nil {
		err = p.managementOpen(ctx, c, begin)
	}
	if err != nil {
		return MixedLogin{}, err
	}
	fresh := false
	result, err := p.signInClient(ctx, mixed, place, c, string(who.Provider), func(tx *store.DB) (err error) {
		fresh, err = p.link(ctx, tx, who, c)
		return err
	})
	if err == nil && fresh {
		p.tell(ctx, c.number(), NoticeLinked, "", c.member.Company)
	}
	return result, err
}

// LoginAs chooses one of the accounts a program has signed in to, and gives its user with a token of its own. NotFound for any other; what blocks it.
func (p *Portal) LoginAs(ctx context.Context, s Session, accountID int64, client Client) (User, error) {
	m, err := p.ownMember(ctx, s, accountID)
	if err != nil {
		return User{}, err
	}
	if reason := BlockedBy(m, s.Lighting, p.now()); reason != "" {
		return User{}, p.blocked(m, reason)
	}
	if m.Side == store.Mgr && p.managerClosed(callerOf(ctx).Agent) {
		return User{}, p.blocked(m, WeChatManagerClosed)
	}
	token := randomToken(32)
	made := p.newClientSession(ctx, client, token)
	made.PhoneID, made.AccountID, made.CompanyID, made.Lighting, made.ActingID, made.Family = s.PhoneID, s.AccountID, s.CompanyID, s.Lighting, m.ID, s.Family
	user := p.userOf(m)
	user.Token = Text(token)
	return user, p.db.Tx(ctx, func(tx *store.DB) error {
		if err := tx.AddSession(ctx, made); err != nil {
			return err
		}
		return p.event(ctx, tx, "sign_in", m, "chosen, "+string(client))
	})
}
