package web

import "net/http"

// PasswordField is the hidden field of a form that is shown again, with the new password that was typed into it.
const PasswordField = "password_kept"

// restorePassword fills the new password and its repetition into a form that kept them, unless the person has typed
// others.
func (p *Web) restorePassword(r *http.Request) {
	kept := p.core.Limits.KeptPassword(p.KnownFlow(r), r.URL.Path, r.PostForm.Get(PasswordField))
	r.PostForm.Del(PasswordField)
	if kept == "" || r.PostForm.Get("password") != "" {
		return
	}
	r.PostForm.Set("password", kept)
	if r.PostForm.Has("confirm_password") && r.PostForm.Get("confirm_password") == "" {
		r.PostForm.Set("confirm_password", kept)
	}
}
