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

// linkPage is one of the three ways to prove the account that a chat app is to sign in: by phone and password, by
// account name, by code.
type linkPage struct {
	p      *Pages
	byName bool
	byCode bool
}

func (l linkPage) path() string {
	switch {
	case l.byName:
		return linkPath + "/account"
	case l.byCode:
		return linkPath + "/code"
	}
	return linkPath
}

// ticket reads who comes from a chat app here; gone says that the reader was sent to authorise (again).
func (l linkPage) ticket(
	w http.ResponseWriter, r *http.Request,
) (who chatlogin.IdentityView, ticket string, gone bool, err error) {
	ticket = l.p.cookie(r, identityCookie)
	if ticket == "" {
		return who, "", true, l.p.lostIdentity(w, r)
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

// lostIdentity is for whom a chat app's ticket has ended: what was sent is told to come too late, for those who are
// not signed in by now.
func (p *Pages) lostIdentity(w http.ResponseWriter, r *http.Request) error {
	if r.Method == http.MethodPost && p.sessionToken(r) == "" {
		return p.chatFailed(w, r, "", &access.Refused{Refusal: access.WeChatExpired})
	}
	return seeOther(w, inEdition(r.Context(), "/login"))
}

func (l linkPage) view(r *http.Request, who chatlogin.IdentityView, in chatlogin.LinkInput) formView {
	ctx, p, app := r.Context(), l.p, appName(r, who.Provider)
	v := formView{
		Heading: locale.T(ctx, "chat.link_heading", "app", app),
		Lead:    locale.T(ctx, "chat.link_lead", "app", app),
		Path:    l.path(),
		Tabs: []tab{
			{
				locale.T(ctx, "login.by_phone"),
				linkPath,
			},
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
		v.Fields, v.Sending = []components.Field{
			phoneField(r, in.Phone),
			code,
		}, sendingFor(verification.ForLogin, 0, "phone", forIdentity)
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
		pageLink{locale.T(ctx, "chat.otherwise"), otherWay(r)},
	)
	for _, person := range people(r, p.portal.Access.Support(place)) {
		v.Links = append(v.Links, pageLink{person.Role + " " + person.Name, "tel:" + person.Phone})
	}
	return v
}

func (l linkPage) show(w http.ResponseWriter, r *http.Request) error {
	who, _, gone, err := l.ticket(w, r)
	if gone || err != nil {
		return err
	}
	var in chatlogin.LinkInput
	note, err := l.remembered(r, &in)
	if err != nil {
		return err
	}
	view := l.view(r, who, in)
	view.Note = note
	if l.byCode {
		if _, err := l.p.resume(
			r, &view, l.p.identityFlow(r, l.p.cookie(r, flowCookie)), verification.ForLogin,
		); err != nil {
			return err
		}
	}
	return l.p.renderForm(w, r, view, nil)
}

// remembered offers the account this device remembers: whoever signed in here with it was asked to be, or is signed
// in still.
func (l linkPage) remembered(r *http.Request, in *chatlogin.LinkInput) (note string, err error) {
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

func (l linkPage) submit(w http.ResponseWriter, r *http.Request) error {
	p := l.p
	who, ticket, gone, err := l.ticket(w, r)
	if gone || err != nil {
		return err
	}
	if err := p.chatOwn(r); err != nil {
		return err
	}
	if r.PostForm.Get("action") == "register" {
		return seeOther(w, inEdition(r.Context(), "/register/wechat")) // or to where this company takes applications
	}
	in := chatlogin.LinkInput{ByName: l.byName, ByCode: l.byCode}
	decode(r, &in)
	view := l.view(r, who, in)
	if again, switched := p.switchedLang(w, r); switched {
		return p.renderForm(w, again, l.view(again, who, in), nil)
	}
	if l.byCode && asked(r) {
		return p.sendCode(w, r, verification.ForLogin, view)
	}
	in.Ticket, in.Flow, in.Browser = ticket, p.cookie(r, flowCookie), p.browserOf(r, false)
	linking, err := p.portal.Chatlogin.ProveForLink(r.Context(), in)
	refused := new(access.Refused)
	switch {
	case errors.As(err, &refused) && mendable(refused):
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

// mendable says that whoever sent a form may mend what was refused in it: neither the authorisation itself, nor an
// account that is blocked.
func mendable(refused *access.Refused) bool {
	return refused.Company == nil && refused.Refusal != access.WeChatExpired && refused.Refusal != access.WeChatFailed
}

// chatOwn refuses a form of a chat app's sign-in when neither the browser's headers nor the form's token show that it
// comes from this site.
func (p *Pages) chatOwn(r *http.Request) error {
	if noOrigin(r) && !p.ownForm(r) {
		return errCrossOrigin
	}
	return nil
}
