package core

import "time"

// PasswordKept is how long a form that was refused keeps the new password that was typed into it.
const PasswordKept = 10 * time.Minute

// sealedPassword is a new password that comes back with a refused form.
type sealedPassword struct {
	Password string `json:"w"`
	Browser  string `json:"b"`
	Form     string `json:"f"` // the path that the form is sent to
	Until    int64  `json:"u"` // Unix ms
}

const passwordSeal = "new password of a form"

// KeepPassword seals a new password for a form that is shown again. No password ever stands in HTML, but nobody should
// have to invent one twice because another field was wrong. browser is the id of the browser's flow, form the path that
// the form is sent to.
func (l *Limits) KeepPassword(browser, form, password string) (string, error) {
	return l.core.Sealing.Seal(passwordSeal, sealedPassword{
		Password: password, Browser: browser, Form: form, Until: l.core.Now().Add(PasswordKept).UnixMilli(),
	})
}

// KeptPassword opens what KeepPassword sealed for the same browser and form within PasswordKept; "" for anything else.
func (l *Limits) KeptPassword(browser, form, sealed string) string {
	var kept sealedPassword
	if browser == "" || sealed == "" || l.core.Sealing.Unseal(passwordSeal, sealed, &kept) != nil ||
		kept.Browser != browser || kept.Form != form || l.core.Now().UnixMilli() > kept.Until {
		return ""
	}
	return kept.Password
}
