package chatlogin

import (
	"cmp"
	"context"
	"errors"
	"net/url"
	"slices"
	"strings"

	"portico/portal/access"
	"portico/portal/chatapps"
	"portico/portal/landing"
	"portico/portal/signin"
	"portico/store"
)

// AppParamsInput asks what a page needs to authorise and to call the JS-SDK. URL is that page, on a site of the
// company or of the platform; Provider is work-chat, or WeChat where there is no work-chat, unless it is said. With
// WeChat said and no company named the platform itself is meant.
type AppParamsInput struct {
	CompanyID int64               `json:"company_id_"`
	CorpID    string              `json:"corp_id_"`
	URL       string              `json:"url_"`
	Provider  access.ProviderName `json:"provider_"`

	Client access.Client
	Site   int64 // the company whose site the caller says it is on, 0 for none
}

// AppParams are they: Timestamp is in seconds, AuthorizeURL comes back to the page with code and state. The
// signatures are of the page exactly as its address was given, without its fragment; the tickets that sign stay here.
type AppParams struct {
	App            chatapps.ProviderApp
	AuthorizeURL   string
	Timestamp      int64
	Nonce          string
	CorpSignature  string // of WeChat: the page's
	AgentSignature string // "" of WeChat
}

// AppParams signs a page and begins an authorisation for a program. ValidationFailed for a page that is none of ours
// or another company's, an unknown provider, and no company; NotFound; WrongParameters for a company other than the
// site's, and an application that several companies share; WeChatFailed where the company has no such door, and for
// what the provider refuses; TooManyAttempts past Signatures.
func (p *Chatlogin) AppParams(ctx context.Context, in AppParamsInput) (AppParams, error) {
	var c *store.Company
	var err error
	if in.Provider != access.WeChat || in.CompanyID != 0 || in.CorpID != "" || in.Site != 0 {
		if c, err = p.companyOfApp(ctx, in.CompanyID, in.CorpID, in.Site); err != nil {
			return AppParams{}, err
		}
	}
	page, err := p.ownPage(ctx, in.URL, c)
	if err != nil {
		return AppParams{}, err
	}
	door, err := p.clientDoor(c, in.Provider)
	if err != nil {
		return AppParams{}, err
	}
	app, err := p.chatapps.AppFor(ctx, c, door.Kind())
	if err != nil {
		return AppParams{}, err
	}
	if err := p.limits.CountUpTo(ctx, p.db, "signatures:"+access.Network(access.CallerOf(ctx).Address), Signatures, AuthorisationLife); err != nil {
		return AppParams{}, err
	}
	result := AppParams{App: app, Timestamp: p.now().Unix(), Nonce: access.RequestString()}
	if result.CorpSignature, err = p.signPage(ctx, door.Provider(), app, chatapps.PageTicket, result, page); err != nil {
		return AppParams{}, err
	}
	if door == chatapps.DoorWeCom {
		if result.AgentSignature, err = p.signPage(ctx, access.WeCom, app, chatapps.AgentTicket, result, page); err != nil {
			return AppParams{}, err
		}
	}
	a := store.Authorisation{Door: string(door), Client: string(in.Client)}
	if c != nil {
		a.CompanyID = c.ID
	}
	result.AuthorizeURL, err = p.authorise(ctx, a, app, comesBackTo(page), door.Scope(false))
	return result, err
}

// Signatures is how many pages one address may have signed in AuthorisationLife.
const Signatures = 300

func (c *Chatlogin) signPage(
	ctx context.Context, name access.ProviderName, app chatapps.ProviderApp, kind chatapps.TokenKind, with AppParams, page string,
) (string, error) {
	ticket, err := c.chatapps.ProviderToken(ctx, name, app, kind)
	if err != nil {
		c.log.LogAttrs(ctx, access.LogWarn, "provider", access.LogEvent("page_not_signed"), access.LogDetail(err.Error()))
		return "", chatapps.ProviderRefusal(err)
	}
	return c.chatapps.Provider(name).Sign(ticket, with.Nonce, with.Timestamp, page), nil
}

// comesBackTo is a page without the code and state with which it was come back to before.
func comesBackTo(page string) string {
	path, query, asked := strings.Cut(page, "?")
	if !asked {
		return page
	}
	parts := slices.DeleteFunc(strings.Split(query, "&"), func(part string) bool {
		name, _, _ := strings.Cut(part, "=")
		return name == "code" || name == "state"
	})
	if query = strings.Join(parts, "&"); query == "" {
		return path
	}
	return path + "?" + query
}

// clientDoor is the door of a program: the provider asked for, or the one there is.
func (p *Chatlogin) clientDoor(c *store.Company, name access.ProviderName) (chatapps.Door, error) {
	if name != "" && name != access.WeCom && name != access.WeChat {
		return "", access.Invalid(access.Fields{"provider": access.ChoiceRequired})
	}
	doors := []chatapps.Door{chatapps.DoorWeCom, chatapps.DoorWeChat}
	i := slices.IndexFunc(doors, func(d chatapps.Door) bool {
		return (name == "" || d.Provider() == name) && p.chatapps.Offers(c, d.Kind())
	})
	if i < 0 {
		return "", &access.Refused{Refusal: access.WeChatFailed}
	}
	return doors[i], nil
}

// companyOfApp is the company a program means: by its id, or by the id of its application at work-chat; nil where it
// means the platform itself. NotFound; WrongParameters where several companies share the application, and for a
// company other than the site's.
func (p *Chatlogin) companyOfApp(ctx context.Context, id int64, corp string, site int64) (*store.Company, error) {
	id = cmp.Or(id, site)
	if site != 0 && id != site {
		return nil, &access.Refused{Refusal: access.WrongParameters}
	}
	if id == 0 {
		if corp == "" {
			return nil, access.Invalid(access.Fields{"company_id": access.ChoiceRequired})
		}
		if corp == p.chatapps.PlatformApp(store.WeComCorp).ID {
			return nil, nil
		}
		ids, err := p.db.CompaniesOfApp(ctx, store.WeComCorp, corp)
		switch {
		case err != nil:
			return nil, err
		case len(ids) == 0:
			return nil, access.NotFound
		case len(ids) > 1:
			return nil, &access.Refused{Refusal: access.WrongParameters}
		}
		id = ids[0]
	}
	c, err := p.db.CompanyByID(ctx, id)
	if errors.Is(err, store.ErrNotFound) {
		err = access.NotFound
	}
	if err != nil || corp == "" {
		return &c, err
	}
	app, err := p.chatapps.AppFor(ctx, &c, store.WeComCorp)
	if err == nil && app.ID != corp {
		err = access.NotFound
	}
	return &c, err
}

// maxPage is the longest address of a page, in bytes.
const maxPage = 1024

// ownPage is the address of a page, without its fragment, where that is on a site of the platform or of the company,
// nil for none: one company's site learns nothing of who authorises for another.
func (p *Chatlogin) ownPage(ctx context.Context, address string, c *store.Company) (string, error) {
	foreign := access.Invalid(access.Fields{"url": access.PageForeign})
	page, err := url.Parse(address)
	if err != nil || len(address) > maxPage || page.Host == "" || page.User != nil || page.Opaque != "" {
		return "", foreign
	}
	ours, err := p.access.OwnOrigin(ctx, page.Scheme+"://"+page.Host)
	if err != nil || !ours {
		return "", errors.Join(err, foreign)
	}
	place, err := p.access.Locate(ctx, access.LocateInput{Host: page.Host})
	if err == nil && place.Company != nil && (c == nil || place.Company.ID != c.ID) {
		err = foreign
	}
	address, _, _ = strings.Cut(address, "#")
	return address, err
}

// ClientCallbackInput is what a program came back with from a provider. Of work-chat it names the company; else it
// may leave that to the authorisation.
type ClientCallbackInput struct {
	Code      string `json:"code_"`
	State     string `json:"state_"`
	CompanyID int64  `json:"company_id_"`
	CorpID    string `json:"corp_id_"`

	Target store.Slot `json:"target_"` // see ClientLoginInput

	// App names the application that gave the code: MobileApp, or "" for the one of the authorisation that State names.
	App string

	Provider access.ProviderName
	Client   access.Client
	Lighting bool
	Site     int64
}

// MobileApp names WeChat's mobile application, which native apps ask through WeChat's SDK, without this server.
const MobileApp = "mobile"

// ClientCallback is who came back. User is set, with its token, where the identity signs a single account in that can
// be entered.
type ClientCallback struct {
	Identity chatapps.ProviderIdentity
	Ticket   string // for LoginByTicket and BindByTicket
	Linked   bool
	Applied  bool
	User     *access.User
}

// FinishForClient is FinishAuthorisation for a program that authorised by AppParams. Refused the same way; login
// signs in at once whom the identity is linked to, with what blocks that.
func (p *Chatlogin) FinishForClient(ctx context.Context, in ClientCallbackInput, login bool) (ClientCallback, error) {
	if err := signin.RefuseUnknownTarget(in.Target); err != nil {
		return ClientCallback{}, err
	}
	begun := p.clientAuthorisation
	if in.App != "" {
		begun = p.mobileAuthorisation
	}
	a, c, err := begun(ctx, in)
	if err != nil {
		return ClientCallback{}, err
	}
	who, err := p.exchangeOnce(ctx, a, c, in.Code, "")
	if err != nil {
		return ClientCallback{}, err
	}
	result := ClientCallback{Identity: who.Identity}
	if result.Ticket, err = p.identityTicket(who, Holder{Client: in.Client}); err != nil {
		return ClientCallback{}, err
	}
	applied, err := p.appliedBy(ctx, who)
	if err != nil {
		return ClientCallback{}, err
	}
	cand, row, found, err := p.Linked(ctx, who)
	if err != nil {
		return ClientCallback{}, err
	}
	result.Linked, result.Applied = found, applied != 0
	if !found || !login {
		return result, nil
	}
	signed, err := p.signInClientBy(ctx, signin.ClientLoginInput{
		CompanyID: a.CompanyID, Client: in.Client, Lighting: in.Lighting, Ticket: result.Ticket,
		Target: in.Target,
	}, who, cand, row)
	if signed.User != nil {
		result.User = signed.User
	}
	return result, err
}

// mobileAuthorisation makes the authorisation of a code that WeChat's SDK gave to a native app. This server did not
// begin it: the app itself compares the state. Refused: an unknown application under "app", also where the caller is
// no native app; WeChatFailed without a code, without credentials, and for another client or company than the code
// came with first; TooManyAttempts past Authorisations.
func (p *Chatlogin) mobileAuthorisation(
	ctx context.Context, in ClientCallbackInput,
) (store.Authorisation, *store.Company, error) {
	var none store.Authorisation
	if in.App != MobileApp || in.Provider != access.WeChat || in.Client != landing.ClientApp {
		return none, nil, access.Invalid(access.Fields{"app": access.TargetUnknown})
	}
	var c *store.Company
	var err error
	if in.CompanyID != 0 || in.Site != 0 {
		if c, err = p.companyOfApp(ctx, in.CompanyID, "", in.Site); err != nil {
			return none, nil, err
		}
	}
	app, err := p.chatapps.AppFor(ctx, c, store.WeChatMobile)
	if err == nil && in.Code == "" {
		err = &access.Refused{Refusal: access.WeChatFailed}
	}
	if err != nil {
		return none, nil, err
	}
	now := p.now()
	a := store.Authorisation{
		ID: access.Hashed("wechat mobile " + in.Code), Door: string(chatapps.DoorWeChatMobile), Provider: string(access.WeChat), App: app.ID,
		Client: string(in.Client), CreatedAt: store.At(now), ExpiresAt: store.At(now.Add(AuthorisationLife)),
	}
	if c != nil {
		a.CompanyID = c.ID
	}
	before, err := p.db.AuthorisationByID(ctx, a.ID)
	if errors.Is(err, store.ErrNotFound) {
		if err = p.limits.CountUpTo(
			ctx, p.db, "authorisations:"+access.Network(access.CallerOf(ctx).Address), Authorisations, AuthorisationLife,
		); err != nil {
			return none, nil, err
		}
		if err = p.db.AddAuthorisation(ctx, a); err == nil {
			before, err = p.db.AuthorisationByID(ctx, a.ID)
		}
	}
	if err == nil && before.CompanyID != a.CompanyID {
		err = p.strange(ctx, "another company")
	}
	return before, c, err
}

// clientAuthorisation is the authorisation a program came back from, with its company, nil for the platform's.
// WeChatFailed where the program began none such for this company.
func (p *Chatlogin) clientAuthorisation(
	ctx context.Context, in ClientCallbackInput,
) (store.Authorisation, *store.Company, error) {
	var c *store.Company
	var err error
	named := in.CompanyID != 0 || in.CorpID != "" || in.Site != 0
	if named || in.Provider == access.WeCom {
		if c, err = p.companyOfApp(ctx, in.CompanyID, in.CorpID, in.Site); err != nil {
			return store.Authorisation{}, nil, err
		}
	}
	a, err := p.authorisation(ctx, in.State)
	if err != nil {
		return a, nil, err
	}
	if !named && a.CompanyID != 0 {
		if c, err = p.companyOfApp(ctx, a.CompanyID, "", 0); err != nil {
			return a, nil, err
		}
	}
	elsewhere := c == nil && a.CompanyID != 0 || c != nil && a.CompanyID != c.ID
	if a.Client == "" || a.Client != string(in.Client) || elsewhere || a.Provider != string(in.Provider) {
		return a, nil, p.strange(ctx, "another program or company")
	}
	return a, c, nil
}
