package forms

import (
	"net/http"

	"portico/components"
	"portico/pages/web"
	"portico/portal/access"
)

// Carry keeps the phone or account name that was typed in one form, for the next form that asks for it. It uses a
// sealed cookie, because neither belongs in an address. It ignores other text.
func (p *Pages) Carry(w http.ResponseWriter, typed string) error {
	who, ok := access.NormalPhone(typed)
	if !ok {
		who, ok = access.NormalLogin(typed)
	}
	if !ok || who == "" {
		return nil
	}
	sealed, err := p.core.Sealing.Remember(who)
	if err == nil {
		p.web.SetCookie(w, web.TypedCookie, sealed, web.TypedSeconds)
	}
	return err
}

// TakeCarried returns once what Carry has kept: a phone in groups, or an account name; "" for nothing, or the other
// kind.
func (p *Pages) TakeCarried(w http.ResponseWriter, r *http.Request, byName bool) string {
	sealed := p.web.Cookie(r, web.TypedCookie)
	if sealed == "" {
		return ""
	}
	p.web.DropCookie(w, web.TypedCookie)
	who := p.core.Sealing.Remembered(sealed)
	phone, isPhone := access.NormalPhone(who)
	switch {
	case isPhone == byName:
		return ""
	case isPhone:
		return components.GroupPhone(phone)
	}
	return who
}

// FillIn fills the phone of a form with the number that Carry has kept.
func (p *Pages) FillIn(w http.ResponseWriter, r *http.Request, v *FormView) {
	phone := p.TakeCarried(w, r, false)
	if field := v.Field("phone"); field != nil && field.Value == "" {
		field.Value = phone
	}
}
