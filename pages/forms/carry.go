package forms

import (
	"net/http"

	"portico/components"
	"portico/pages/request"
	"portico/portal/access"
)

// CarryPhone keeps the phone that was typed to sign in for TakePhone. It uses a sealed cookie, because a phone number
// does not belong in an address. It ignores text that is not a phone number.
func (p *Pages) CarryPhone(w http.ResponseWriter, typed string) error {
	phone, ok := access.NormalPhone(typed)
	if !ok {
		return nil
	}
	sealed, err := p.portal.Sealing.Remember(phone)
	if err == nil {
		p.request.SetCookie(w, request.TypedCookie, sealed, request.TypedSeconds)
	}
	return err
}

// TakePhone fills the phone field of a form with the number that CarryPhone has kept, once.
func (p *Pages) TakePhone(w http.ResponseWriter, r *http.Request, v *FormView) {
	sealed := p.request.Cookie(r, request.TypedCookie)
	if sealed == "" {
		return
	}
	p.request.DropCookie(w, request.TypedCookie)
	phone, ok := access.NormalPhone(p.portal.Sealing.Remembered(sealed))
	if field := v.Field("phone"); ok && field != nil && field.Value == "" {
		field.Value = components.GroupPhone(phone)
	}
}
