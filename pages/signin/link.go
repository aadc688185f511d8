package signin

import (
	"errors"
	"net/http"

	"portico/components"
	"portico/locale"
	"portico/pages/forms"
	"portico/pages/web"
	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/signin"
)

// LinkPage is the page on which a person proves the account that a chat app will sign in to: by phone and password, by
// account name or by code.
type LinkPage struct {
	P      *ChatPages
	ByName bool
	ByCode bool
}

// Path returns the address of the page.
func (l LinkPage) Path() string {
	switch {
	case l.ByName:
		return web.LinkPath + "/account"
	case l.ByCode:
		return web.LinkPath + "/code"
	}
	return web.LinkPath
}

// Ticket reads the chat identity that this browser has authorised. gone reports that the answer is written: a redirect,
// or a page that says that the authorisation has expired.
func (l LinkPage) Ticket(
	w http.ResponseWriter, r *http.Request,
) (who signin.IdentityView, ticket string, gone bool, err error) {
	ticket = l.P.web.Cookie(r, web.IdentityCookie)
	if ticket == "" {
		return who, "", true, l.P.IdentityExpired(w, r)
	}
	who, err = l.P.portal.Chatlogin.IdentityOfTicket(r.Context(), ticket, l.P.web.Cookie(r, web.FlowCookie))
	if errors.Is(err, access.LoginRequired) {
		l.P.web.DropCookie(w, web.IdentityCookie)
		return who, "", true, web.SeeOther(w, web.InEdition(r.Context(), "/login"))
	}
	if who.Lighting {
		web.VisitOf(r.Context()).Lighting = true
	}
	if _, ok := errors.AsType[*access.Refused](err); ok {
		l.P.web.DropCookie(w, web.IdentityCookie)
		return who, "", true, l.P.ChatFailed(w, r, who.Provider, err)
	}
	return who, ticket, false, err
}

// IdentityExpired answers a request without a chat identity. A form of a person who is not signed in gets the page that
// says that the authorisation has expired.
func (p *ChatPages) IdentityExpired(w http.ResponseWriter, r *http.Request) error {
	if r.Method == http.MethodPost && p.web.SessionToken(r) == "" {
		return p.ChatFailed(w, r, "", &access.Refused{Refusal: access.WeChatExpired})
	}
	return web.SeeOther(w, web.InEdition(r.Context(), "/login"))
}

// view returns the form with what was typed.
func (l LinkPage) view(r *http.Request, who signin.IdentityView, in signin.LinkInput) forms.FormView {
	ctx := r.Context()
	p := l.P
	app := web.AppName(r, who.Provider)
	v := forms.FormView{
		Heading: locale.T(ctx, "chat.link_heading", "app", app),
		Lead:    locale.T(ctx, "chat.link_lead", "app", app),
		Path:    l.Path(),
		Tabs: []forms.Tab{
			{Label: locale.T(ctx, "login.by_code"), Href: web.LinkPath + "/code"},
			{Label: locale.T(ctx, "login.by_phone"), Href: web.LinkPath},
			{Label: locale.T(ctx, "login.by_name"), Href: web.LinkPath + "/account"},
		},
		Identity: identityOf(r, who, ""),
		Submit:   locale.T(ctx, "chat.link_next"),
		Busy:     locale.T(ctx, "care.busy"),
	}
	if who.Nick != "" {
		v.Lead = locale.T(ctx, "chat.link_lead_nick", "app", app, "nick", who.Nick)
	}
	if !web.DeviceOf(r, 0).Mobile() { // as on the sign-in page
		v.Tabs[0], v.Tabs[1] = v.Tabs[1], v.Tabs[0]
	}
	password := forms.PasswordField(r, "password", "login.password", "current-password")
	password.Aside = components.Link{Label: locale.T(ctx, "login.forgot"), Href: web.InEdition(ctx, "/forget")}
	switch {
	case l.ByName:
		v.Fields = []components.Field{
			{
				ID:       "login",
				Label:    locale.T(ctx, "login.name"),
				Hint:     locale.T(ctx, "login.name_hint"),
				Value:    in.Login,
				Complete: "username",
				Max:      access.MaxLogin,
			},
			password,
		}
	case l.ByCode:
		code := forms.CodeField(r)
		code.Value = in.Code
		v.Fields = []components.Field{forms.PhoneField(r, in.Phone), code}
		v.Sending = forms.SendingFor(core.ForLogin, 0, "phone", forms.ForIdentity)
		v.Hidden = append(v.Hidden, forms.Hidden{Name: forms.ForIdentity, Value: "1"})
	default:
		v.Fields = []components.Field{forms.PhoneField(r, in.Phone), password}
	}
	place := web.PlaceOf(ctx)
	switch {
	case place.Company == nil && p.portal.Core.Access.CompaniesOpen:
		v.Extra = []forms.FormButton{{Name: "action", Value: "register", Label: locale.T(ctx, "chat.register")}}
	case place.Company != nil && place.Company.ApplicationsOpen:
		v.Extra = []forms.FormButton{{Name: "action", Value: "register", Label: locale.T(ctx, "login.join")}}
	}
	v.Links = append(v.Links, web.PageLink{Label: locale.T(ctx, "chat.otherwise"), Href: FormAddress(r)})
	for _, person := range web.People(r, p.portal.Core.Access.Support(place)) {
		v.Links = append(v.Links, web.PageLink{Label: person.Role + " " + person.Name, Href: "tel:" + person.Phone})
	}
	return v
}

// Show shows the form.
func (l LinkPage) Show(w http.ResponseWriter, r *http.Request) error {
	who, _, gone, err := l.Ticket(w, r)
	if gone || err != nil {
		return err
	}
	var in signin.LinkInput
	note, err := l.fillRemembered(r, &in)
	if err != nil {
		return err
	}
	view := l.view(r, who, in)
	view.Note = note
	if l.ByCode {
		flow := l.P.forms.IdentityFlow(r, l.P.web.Cookie(r, web.FlowCookie))
		if _, err := l.P.forms.Resume(r, &view, flow, core.ForLogin); err != nil {
			return err
		}
	}
	return l.P.forms.RenderForm(w, r, view, nil)
}

// fillRemembered fills in the phone or account name that this browser remembers, or the phone of the person who is
// signed in. note says so; "" when nothing was filled in.
func (l LinkPage) fillRemembered(r *http.Request, in *signin.LinkInput) (note string, err error) {
	p, known := l.P, l.P.portal.Core.Sealing.Remembered(l.P.web.Cookie(r, web.LoginCookie))
	if known == "" {
		s, err := p.web.SignedIn(r)
		switch {
		case errors.Is(err, access.LoginRequired):
			return "", nil
		case err != nil:
			return "", err
		case s.PersonID != 0:
			person, err := p.portal.Accounts.Person(r.Context(), s)
			if err != nil {
				return "", err
			}
			known = person.Phone
		}
	}
	number, isPhone := access.NormalPhone(known)
	switch {
	case isPhone && !l.ByName:
		in.Phone = components.GroupPhone(number)
	case !isPhone && l.ByName:
		in.Login = known
	default:
		return "", nil
	}
	if known == "" {
		return "", nil
	}
	return locale.T(r.Context(), "chat.remembered"), nil
}

// Form is the page with its form.
func (l LinkPage) Form() web.FormPage {
	return web.FormPage{Show: l.Show, View: l.viewTyped, Submit: l.Submit}
}

// input reads the form.
func (l LinkPage) input(r *http.Request) signin.LinkInput {
	in := signin.LinkInput{ByName: l.ByName, ByCode: l.ByCode}
	web.Decode(r, &in)
	return in
}

// viewTyped shows the form with what was typed.
func (l LinkPage) viewTyped(w http.ResponseWriter, r *http.Request) error {
	who, _, gone, err := l.Ticket(w, r)
	if gone || err != nil {
		return err
	}
	return l.P.forms.RenderForm(w, r, l.view(r, who, l.input(r)), nil)
}

// Submit proves the account and redirects to the page that asks for confirmation.
func (l LinkPage) Submit(w http.ResponseWriter, r *http.Request) error {
	p := l.P
	who, ticket, gone, err := l.Ticket(w, r)
	if gone || err != nil {
		return err
	}
	if err := p.web.CheckFormOrigin(r); err != nil {
		return err
	}
	if r.PostForm.Get("action") == "register" {
		// On a company's host this page redirects to the application form.
		return web.SeeOther(w, web.InEdition(r.Context(), "/register/wechat"))
	}
	in := l.input(r)
	view := l.view(r, who, in)
	if l.ByCode && forms.AsksForCode(r) {
		return p.forms.SendCode(w, r, core.ForLogin, p.portal.Signin.AskCode, view)
	}
	in.Ticket = ticket
	in.Flow = p.web.Cookie(r, web.FlowCookie)
	in.Browser = p.web.BrowserOf(r, false)
	linking, err := p.portal.Chatlogin.ProveForLink(r.Context(), in)
	refused := new(access.Refused)
	switch {
	case errors.As(err, &refused) && Correctable(refused):
		if l.ByCode {
			if _, err := p.forms.Resume(r, &view, p.forms.IdentityFlow(r, in.Flow), core.ForLogin); err != nil {
				return err
			}
		}
		return p.forms.RenderForm(w, r, view, refused)
	case refused.Refusal != "":
		return p.ChatFailed(w, r, who.Provider, err)
	case err != nil:
		return err
	}
	p.web.SetCookie(w, web.LinkingCookie, linking.Sealed, int(signin.IdentityTicketLife.Seconds()))
	return web.SeeOther(w, web.ConfirmPath)
}

// Correctable reports whether the person can correct the form and send it again. They cannot when the authorisation
// failed or the account is blocked.
func Correctable(refused *access.Refused) bool {
	return refused.Company == nil && refused.Refusal != access.WeChatExpired && refused.Refusal != access.WeChatFailed
}
