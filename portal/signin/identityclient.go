package signin

import (
	"cmp"
	"context"
	"errors"
	"net/url"
	"slices"
	"strings"

	"portico/portal/access"
	"portico/store"
)

// AppParamsInput asks for what a page needs to authorise and to call the JS-SDK. URL is that page, on a site of the
// company or the platform. Without a Provider it is WeCom, or WeChat when the company has no WeCom. WeChat without a
// company means the platform itself.
type AppParamsInput struct {
	CompanyID int64               `json:"company_id_"`
	CorpID    string              `json:"corp_id_"`
	URL       string              `json:"url_"`
	Provider  access.ProviderName `json:"provider_"`

	Client access.Client
	Site   int64 // the company whose site the caller says it is on, 0 for none
}

// AppParams are the parameters of the JS-SDK for a page. Timestamp is in Unix seconds. AuthorizeURL redirects to the
// page with code and state. The signatures are of the address as it was given, without its fragment. The tickets that
// sign never leave this server.
type AppParams struct {
	App            ProviderApp
	AuthorizeURL   string
	Timestamp      int64
	Nonce          string
	CorpSignature  string // in WeChat, the signature of the page
	AgentSignature string // "" for WeChat
}

// AppParams signs a page and begins an authorisation for a program. It refuses with ValidationFailed a page that
// belongs to another company or outside the platform, an unknown provider and a missing company; with NotFound an
// unknown company; with WrongParameters a company other than the site's, and an application that several companies
// share; with WeChatFailed a company without this method, and what the provider refuses; with TooManyAttempts more than
// Signatures.
func (cl *Chatlogin) AppParams(ctx context.Context, in AppParamsInput) (AppParams, error) {
	var c *store.Company
	var err error
	if in.Provider != access.WeChat || in.CompanyID != 0 || in.CorpID != "" || in.Site != 0 {
		if c, err = cl.companyOfApp(ctx, in.CompanyID, in.CorpID, in.Site); err != nil {
			return AppParams{}, err
		}
	}
	page, err := cl.ownPage(ctx, in.URL, c)
	if err != nil {
		return AppParams{}, err
	}
	method, err := cl.clientMethod(c, in.Provider)
	if err != nil {
		return AppParams{}, err
	}
	app, err := cl.chatapps.AppFor(ctx, c, method.Kind())
	if err != nil {
		return AppParams{}, err
	}
	if err := cl.countSignature(ctx); err != nil {
		return AppParams{}, err
	}
	result := AppParams{App: app, Timestamp: cl.core.Now().Unix(), Nonce: access.RequestString()}
	if result.CorpSignature, err = cl.signPage(
		ctx, method.Provider(), app, PageTicket, result, page,
	); err != nil {
		return AppParams{}, err
	}
	if method == MethodWeCom {
		if result.AgentSignature, err = cl.signPage(
			ctx, access.WeCom, app, AgentTicket, result, page,
		); err != nil {
			return AppParams{}, err
		}
	}
	a := store.Authorisation{Method: string(method), Client: string(in.Client)}
	if c != nil {
		a.CompanyID = c.ID
	}
	result.AuthorizeURL, err = cl.authorise(ctx, a, app, withoutCodeAndState(page), method.Scope(false))
	return result, err
}

// Signatures is how many pages one address may have signed in AuthorisationLife.
const Signatures = 300

// signPage returns the signature of a page by a ticket of an application.
func (cl *Chatlogin) signPage(
	ctx context.Context,
	name access.ProviderName,
	app ProviderApp,
	kind TokenKind,
	with AppParams,
	page string,
) (string, error) {
	ticket, err := cl.chatapps.ProviderToken(ctx, name, app, kind)
	if err != nil {
		cl.core.Log.LogAttrs(
			ctx, access.LogWarn, "provider", access.LogEvent("page_not_signed"), access.LogDetail(err.Error()),
		)
		return "", ProviderRefusal(err)
	}
	return cl.chatapps.Provider(name).Sign(ticket, with.Nonce, with.Timestamp, page), nil
}

// withoutCodeAndState removes the code and state of an earlier authorisation from the address of a page.
func withoutCodeAndState(page string) string {
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

// clientMethod returns the method for a program: that of the requested provider, or the one that the company has.
func (cl *Chatlogin) clientMethod(c *store.Company, name access.ProviderName) (Method, error) {
	if name != "" && name != access.WeCom && name != access.WeChat {
		return "", access.Invalid(access.Fields{"provider": access.ChoiceRequired})
	}
	methods := []Method{MethodWeCom, MethodWeChat}
	i := slices.IndexFunc(methods, func(m Method) bool {
		return (name == "" || m.Provider() == name) && cl.chatapps.Offers(c, m.Kind())
	})
	if i < 0 {
		return "", &access.Refused{Refusal: access.WeChatFailed}
	}
	return methods[i], nil
}

// companyOfApp returns the company that a program names: by its id, or by the id of its application in WeCom. It
// returns nil for the platform itself. It refuses an unknown company with NotFound, and with WrongParameters an
// application that several companies share, and a company other than the site's.
func (cl *Chatlogin) companyOfApp(ctx context.Context, id int64, corp string, site int64) (*store.Company, error) {
	id = cmp.Or(id, site)
	if site != 0 && id != site {
		return nil, &access.Refused{Refusal: access.WrongParameters}
	}
	if id == 0 {
		if corp == "" {
			return nil, access.Invalid(access.Fields{"company_id": access.ChoiceRequired})
		}
		if corp == cl.chatapps.PlatformApp(store.WeComCorp).ID {
			return nil, nil
		}
		ids, err := cl.core.DB.Credentials.CompaniesOfApp(ctx, store.WeComCorp, corp)
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
	c, err := cl.core.DB.Companies.ByID(ctx, id)
	if errors.Is(err, store.ErrNotFound) {
		err = access.NotFound
	}
	if err != nil || corp == "" {
		return &c, err
	}
	app, err := cl.chatapps.AppFor(ctx, &c, store.WeComCorp)
	if err == nil && app.ID != corp {
		err = access.NotFound
	}
	return &c, err
}

// maxPage is the longest address of a page, in bytes.
const maxPage = 1024

// ownPage returns the address of a page without its fragment. The page must be on a site of the platform or of the
// company (nil: none), so that no company learns who authorises for another.
func (cl *Chatlogin) ownPage(ctx context.Context, address string, c *store.Company) (string, error) {
	foreign := access.Invalid(access.Fields{"url": access.PageForeign})
	page, err := url.Parse(address)
	if err != nil || len(address) > maxPage || page.Host == "" || page.User != nil || page.Opaque != "" {
		return "", foreign
	}
	own, err := cl.core.Access.OwnOrigin(ctx, page.Scheme+"://"+page.Host)
	if err != nil || !own {
		return "", errors.Join(err, foreign)
	}
	place, err := cl.core.Access.Locate(ctx, access.LocateInput{Host: page.Host})
	if err == nil && place.Company != nil && (c == nil || place.Company.ID != c.ID) {
		err = foreign
	}
	address, _, _ = strings.Cut(address, "#")
	return address, err
}

// ClientCallbackInput is the callback with which a provider sent a program back. For WeCom it names the company. For
// WeChat the authorisation may name it.
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

// MobileApp is the App of a code that a native app got from WeChat's mobile application through WeChat's SDK, without
// this server.
const MobileApp = "mobile"

// ClientCallback is the person who came back from a provider. User, with its token, is set when the identity signs in
// to a single account.
type ClientCallback struct {
	Identity ProviderIdentity
	Ticket   string // for LoginByTicket and BindByTicket
	Linked   bool
	Applied  bool
	User     *access.User
}

// FinishForClient does what FinishAuthorisation does for a program that authorised by AppParams. With login it signs in
// at once the person that the identity is linked to, and refuses what blocks a sign-in.
func (cl *Chatlogin) FinishForClient(ctx context.Context, in ClientCallbackInput, login bool) (ClientCallback, error) {
	if err := RefuseUnknownTarget(in.Target); err != nil {
		return ClientCallback{}, err
	}
	begun := cl.clientAuthorisation
	if in.App != "" {
		begun = cl.mobileAuthorisation
	}
	a, c, err := begun(ctx, in)
	if err != nil {
		return ClientCallback{}, err
	}
	who, err := cl.exchangeOnce(ctx, a, c, in.Code, "")
	if err != nil {
		return ClientCallback{}, err
	}
	result := ClientCallback{Identity: who.Identity}
	if result.Ticket, err = cl.identityTicket(who, Holder{Client: in.Client}); err != nil {
		return ClientCallback{}, err
	}
	applied, err := cl.appliedBy(ctx, who)
	if err != nil {
		return ClientCallback{}, err
	}
	cand, row, found, err := cl.Linked(ctx, who)
	if err != nil {
		return ClientCallback{}, err
	}
	result.Linked, result.Applied = found, applied != 0
	if !found || !login {
		return result, nil
	}
	signed, err := cl.signInClientBy(ctx, ClientLoginInput{
		CompanyID: a.CompanyID, Client: in.Client, Lighting: in.Lighting, Ticket: result.Ticket,
		Target: in.Target,
	}, who, cand, row)
	if signed.User != nil {
		result.User = signed.User
	}
	return result, err
}

// mobileAuthorisation adds the authorisation of a code that WeChat's SDK gave to a native app. This server did not
// begin it: the app itself compares the state. It refuses under "app" an unknown application and a caller that is no
// native app; with WeChatFailed a missing code, missing credentials, and a client or company other than the first time;
// with TooManyAttempts more than Authorisations.
func (cl *Chatlogin) mobileAuthorisation(
	ctx context.Context, in ClientCallbackInput,
) (store.Authorisation, *store.Company, error) {
	var none store.Authorisation
	if in.App != MobileApp || in.Provider != access.WeChat || in.Client != ClientApp {
		return none, nil, access.Invalid(access.Fields{"app": access.TargetUnknown})
	}
	var c *store.Company
	var err error
	if in.CompanyID != 0 || in.Site != 0 {
		if c, err = cl.companyOfApp(ctx, in.CompanyID, "", in.Site); err != nil {
			return none, nil, err
		}
	}
	app, err := cl.chatapps.AppFor(ctx, c, store.WeChatMobile)
	if err == nil && in.Code == "" {
		err = &access.Refused{Refusal: access.WeChatFailed}
	}
	if err != nil {
		return none, nil, err
	}
	now := cl.core.Now()
	a := store.Authorisation{
		ID:        access.Hashed("wechat mobile " + in.Code),
		Method:    string(MethodWeChatMobile),
		Provider:  string(access.WeChat),
		App:       app.ID,
		Client:    string(in.Client),
		CreatedAt: store.At(now),
		ExpiresAt: store.At(now.Add(AuthorisationLife)),
	}
	if c != nil {
		a.CompanyID = c.ID
	}
	before, err := cl.core.DB.Authorisations.ByID(ctx, a.ID)
	if errors.Is(err, store.ErrNotFound) {
		if err = cl.core.Limits.CountUpTo(
			ctx,
			cl.core.DB,
			"authorisations:"+access.Network(access.CallerOf(ctx).Address),
			Authorisations,
			AuthorisationLife,
		); err != nil {
			return none, nil, err
		}
		if err = cl.core.DB.Authorisations.Add(ctx, a); err == nil {
			before, err = cl.core.DB.Authorisations.ByID(ctx, a.ID)
		}
	}
	if err == nil && before.CompanyID != a.CompanyID {
		err = cl.refuseCallback(ctx, "another company")
	}
	return before, c, err
}

// clientAuthorisation returns the authorisation that a program came back from, and its company, nil for the platform.
// It refuses with WeChatFailed one that this program did not begin for this company.
func (cl *Chatlogin) clientAuthorisation(
	ctx context.Context, in ClientCallbackInput,
) (store.Authorisation, *store.Company, error) {
	var c *store.Company
	var err error
	named := in.CompanyID != 0 || in.CorpID != "" || in.Site != 0
	if named || in.Provider == access.WeCom {
		if c, err = cl.companyOfApp(ctx, in.CompanyID, in.CorpID, in.Site); err != nil {
			return store.Authorisation{}, nil, err
		}
	}
	a, err := cl.authorisation(ctx, in.State)
	if err != nil {
		return a, nil, err
	}
	if !named && a.CompanyID != 0 {
		if c, err = cl.companyOfApp(ctx, a.CompanyID, "", 0); err != nil {
			return a, nil, err
		}
	}
	elsewhere := c == nil && a.CompanyID != 0 || c != nil && a.CompanyID != c.ID
	if a.Client == "" || a.Client != string(in.Client) || elsewhere || a.Provider != string(in.Provider) {
		return a, nil, cl.refuseCallback(ctx, "another program or company")
	}
	return a, c, nil
}
