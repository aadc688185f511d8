package pages

import (
	"errors"
	"net/http"

	"portico/components"
	"portico/locale"
	"portico/portal/access"
	"portico/portal/chatlogin"
	"portico/portal/signin"
	"portico/portal/verification"
)

// linkPage is the page on which a person proves the account that a chat app will sign in to: by phone and password, by
// account name or by code.
type linkPage struct {
	p      *Pages
	byName bool
	byCode bool
}

// path returns the address of the page.
func (l linkPage) path() string {
	switch {
	case l.byName:
		return linkPath + "/account"
	case l.byCode:
		return linkPath + "/code"
	}
	return linkPath
}

// ticket reads the chat identity that this browser has authorised. gone reports that the answer is written: a redirect,
// or a page that says that the authorisation has expired.
func (l linkPage) ticket(
	w http.ResponseWriter, r *http.Request,
) (who chatlogin.IdentityView, ticket string, gone bool, err error) {
	ticket = l.p.cookie(r, identityCookie)
	if ticket == "" {
		return who, "", true, l.p.identityExpired(w, r)
	}
	who, err = l.p.portal.Chatlogin.IdentityOfTicket(r.Context(), ticket, l.p.cookie(r, flowCookie))
	if errors.Is(err, access.LoginRequired) {
		l.p.dropCookie(w, identityCookie)
		return who, "", true, seeOther(w, inEdition(r.Context(), "/login"))
	}
	if who.Lighting {
		visitOf(r.Context()).lighting = true
	}
	if _, ok := errors.AsType[*access.Refused](err); ok {
		l.p.dropCookie(w, identityCookie)
		return who, "", true, l.p.chatFailed(w, r, who.Provider, err)
	}
	return who, ticket, false, err
}

// identityExpired answers a request without a chat identity. A form of a person who is not signed in gets the page that
// says that the authorisation has expired.
func (p *Pages) identityExpired(w http.ResponseWriter, r *http.Request) error {
	if r.Method == http.MethodPost && p.sessionToken(r) == "" {
		return p.chatFailed(w, r, "", &access.Refused{Refusal: access.WeChatExpired})
	}
	return seeOther(w, inEdition(r.Context(), "/login"))
}

// view returns the form with what was typed.
func (l linkPage) view(r *http.Request, who chatlogin.IdentityView, in chatlogin.LinkInput) formView {
	ctx, p, app := r.Context(), l.p, appName(r, who.Provider)
	v := formView{
		Heading: locale.T(ctx, "chat.link_heading", "app", app),
		Lead:    locale.T(ctx, "chat.link_lead", "app", app),
		Path:    l.path(),
		Tabs: []tab{
			{locale.T(ctx, "login.by_phone"), linkPath},
			{locale.T(ctx, "login.by_name"), linkPath + "/account"},
			{locale.T(ctx, "chat.by_code"), linkPath + "/code"},
		},
		Submit: locale.T(ctx, "chat.link_next"),
		Busy:   locale.T(ctx, "care.busy"),
	}
	if who.Nick != "" {
		v.Lead = locale.T(ctx, "chat.link_lead_nick", "app", app, "nick", who.Nick)
	}
	password := passwordField(r, "password", "login.password", "current-password")
	switch {
	case l.byName:
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
	case l.byCode:
		code := codeField(r)
		code.Value = in.Code
		v.Fields = []components.Field{phoneField(r, in.Phone), code}
		v.Sending = sendingFor(verification.ForLogin, 0, "phone", forIdentity)
		v.Hidden = append(v.Hidden, hidden{forIdentity, "1"})
	default:
		v.Fields = []components.Field{phoneField(r, in.Phone), password}
	}
	place := placeOf(ctx)
	switch {
	case place.Company == nil:
		v.Extra = []formButton{{"action", "register", locale.T(ctx, "chat.register")}}
	case place.Company.ApplicationsOpen:
		v.Extra = []formButton{{"action", "register", locale.T(ctx, "login.join")}}
	}
	v.Links = append(
		v.Links,
		pageLink{locale.T(ctx, "login.forgot"), "/forget"},
		pageLink{locale.T(ctx, "chat.otherwise"), formAddress(r)},
	)
	for _, person := range people(r, p.portal.Access.Support(place)) {
		v.Links = append(v.Links, pageLink{person.Role + " " + person.Name, "tel:" + person.Phone})
	}
	return v
}

// show shows the form.
func (l linkPage) show(w http.ResponseWriter, r *http.Request) error {
	who, _, gone, err := l.ticket(w, r)
	if gone || err != nil {
		return err
	}
	var in chatlogin.LinkInput
	note, err := l.fillRemembered(r, &in)
	if err != nil {
		return err
	}
	view := l.view(r, who, in)
	view.Note = note
	if l.byCode {
		flow := l.p.identityFlow(r, l.p.cookie(r, flowCookie))
		if _, err := l.p.resume(r, &view, flow, verification.ForLogin); err != nil {
			return err
		}
	}
	return l.p.renderForm(w, r, view, nil)
}

// fillRemembered fills in the phone or account name that this browser remembers, or the phone of the person who is
// signed in. note says so; "" when nothing was filled in.
func (l linkPage) fillRemembered(r *http.Request, in *chatlogin.LinkInput) (note string, err error) {
	p, known := l.p, l.p.portal.Sealing.Remembered(l.p.cookie(r, loginCookie))
	if known == "" {
		s, err := p.signedIn(r)
		switch {
		case errors.Is(err, access.LoginRequired):
			return "", nil
		case err != nil:
			return "", err
		case s.PhoneID != 0:
			person, err := p.portal.Accounts.Person(r.Context(), s)
			if err != nil {
				return "", err
			}
			known = person.Phone
		}
	}
	number, isPhone := access.NormalPhone(known)
	switch {
	case isPhone && !l.byName:
		in.Phone = components.GroupPhone(number)
	case !isPhone && l.byName:
		in.Login = known
	default:
		return "", nil
	}
	if known == "" {
		return "", nil
	}
	return locale.T(r.Context(), "chat.remembered"), nil
}

// submit proves the account and redirects to the page that asks for confirmation.
func (l linkPage) submit(w http.ResponseWriter, r *http.Request) error {
	p := l.p
	who, ticket, gone, err := l.ticket(w, r)
	if gone || err != nil {
		return err
	}
	if err := p.refuseForeignChatForm(r); err != nil {
		return err
	}
	if r.PostForm.Get("action") == "register" {
		// On a company's host this page redirects to the application form.
		return seeOther(w, inEdition(r.Context(), "/register/wechat"))
	}
	in := chatlogin.LinkInput{ByName: l.byName, ByCode: l.byCode}
	decode(r, &in)
	view := l.view(r, who, in)
	if again, switched := p.switchedLang(w, r); switched {
		return p.renderForm(w, again, l.view(again, who, in), nil)
	}
	if l.byCode && asksForCode(r) {
		return p.sendCode(w, r, verification.ForLogin, view)
	}
	in.Ticket, in.Flow, in.Browser = ticket, p.cookie(r, flowCookie), p.browserOf(r, false)
	linking, err := p.portal.Chatlogin.ProveForLink(r.Context(), in)
	refused := new(access.Refused)
	switch {
	case errors.As(err, &refused) && correctable(refused):
		if l.byCode {
			if _, err := p.resume(r, &view, p.identityFlow(r, in.Flow), verification.ForLogin); err != nil {
				return err
			}
		}
		return p.renderForm(w, r, view, refused)
	case refused.Refusal != "":
		return p.chatFailed(w, r, who.Provider, err)
	case err != nil:
		return err
	}
	p.setCookie(w, linkingCookie, linking.Sealed, int(signin.IdentityTicketLife.Seconds()))
	return seeOther(w, confirmPath)
}

// correctable reports whether the person can correct the form and send it again. They cannot when the authorisation
// failed or the account is blocked.
func correctable(refused *access.Refused) bool {
	return refused.Company == nil && refused.Refusal != access.WeChatExpired && refused.Refusal != access.WeChatFailed
}

// refuseForeignChatForm refuses a form of a sign-in by chat app when neither the browser's headers nor the form's token
// show that it comes from this site.
func (p *Pages) refuseForeignChatForm(r *http.Request) error {
	if noOrigin(r) && !p.ownForm(r) {
		return errCrossOrigin
	}
	return nil
}
