package pages

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/go-chi/chi/v5"

	"portico/locale"
	"portico/portal"
	"portico/store"
)

// A form that is sent after its session has ended, or while somebody else is signed in, changes nothing and is kept for its
// owner. The page that answers leads back to it: the form is there again, filled and not sent.

// keptParam names a kept form in the address of its page.
const keptParam = "kept"

// misplacedView is the page of a form that was sent under another company or person.
type misplacedView struct {
	Heading, Body string
	Kept          string // that what was typed is kept, "" where nothing was typed
	Back          string // the label of the button that enters the form's own account; "" where another person has to sign in
	Path          string // where that button posts to
	Account       string // the form's account, and the address of its page
	Return        string
	Token         string
	Stay          wayOn
	SignIn        wayOn
}

// wayOn is a link of a page that could not do what was asked.
type wayOn struct{ Label, Href string }

// formPages are the pages of forms whose own path shows something else.
var formPages = map[string]string{"/shop/orders": "/shop", "/home/orders": "/home"}

// pageOf is the page on which the form of a request stands: its own path where that has a page, else the first one above that
// has; "" for none.
func (p *Pages) pageOf(r *http.Request) string {
	routes, path := p.routes(placeOf(r.Context())), r.URL.Path
	if page := formPages[path]; page != "" {
		return page
	}
	for path != "" && !routes.Match(chi.NewRouteContext(), http.MethodGet, path) {
		path = path[:strings.LastIndexByte(path, '/')]
	}
	return path
}

// keepForm keeps the form of a request for its owner and returns the address of its page with the form in it; "" for a form that
// does not say whose it is.
func (p *Pages) keepForm(r *http.Request, owner portal.FormOwner) (string, error) {
	if r.Method != http.MethodPost || owner.Nobody() {
		return "", nil
	}
	path := p.pageOf(r)
	if path == "" {
		return "", nil
	}
	fields := url.Values{}
	for name, values := range r.PostForm {
		fields[name] = values
	}
	if f, ok := r.Context().Value(receivedKey{}).(*received); ok && f.came {
		fields.Set(fileLost, "1")
	}
	id, err := p.portal.KeepForm(r.Context(), portal.KeptForm{Owner: owner, Path: path, Fields: fields})
	if err != nil {
		return "", err
	}
	return path + "?" + url.Values{keptParam: {id}}.Encode(), nil
}

// fileLost is the field of a kept form that had a file: files are not kept.
const fileLost = "_file"

// pageFields are fields of forms that the page fills in, not the person.
var pageFields = []string{"action", "form", "seen", "account_id", "company_id", "product_id", "version", "return"}

// hasText says whether the person typed something into a form that is kept.
func hasText(form url.Values) bool {
	for name, values := range portal.KeptFields(form) {
		if !slices.Contains(pageFields, name) && strings.Join(values, "") != "" {
			return true
		}
	}
	return false
}

// signInAgain sends somebody who sent a form after their session had ended to the sign-in page, which leads back to that form; to
// otherwise where there is no form to keep.
func (p *Pages) signInAgain(w http.ResponseWriter, r *http.Request, signIn, otherwise string) error {
	back, err := p.keepForm(r, p.formOwner(r))
	if err != nil {
		return err
	}
	if back == "" {
		return seeOther(w, otherwise)
	}
	done := "session_ended"
	if hasText(r.PostForm) {
		done = "form_kept"
	}
	return seeOther(w, withReturn(signIn+"?done="+done, back))
}

// withReturn adds the path to arrive at after signing in.
func withReturn(signIn, back string) string {
	return signIn + "&" + url.Values{"return": {back}}.Encode()
}

// restored is the form that the address of a page names, if it may be shown to its reader; false otherwise. The request that
// comes with it reads like the one that was sent.
func (p *Pages) restored(r *http.Request, mayRead func(portal.FormOwner) bool) (*http.Request, bool) {
	id := r.URL.Query().Get(keptParam)
	if id == "" || r.Method != http.MethodGet {
		return r, false
	}
	form, err := p.portal.KeptForm(r.Context(), id)
	if err != nil || !mayRead(form.Owner) || withoutBase(form.Path) != withoutBase(r.URL.Path) { // gone, or somebody else's: the page is shown as it is
		return r, false
	}
	visitOf(r.Context()).restored = form.Fields
	r = r.WithContext(r.Context())
	r.PostForm, r.Form = form.Fields, form.Fields
	return r, true
}

// withoutBase is a path of a landing site without the side's first page, which differs between phones and desktops.
func withoutBase(path string) string {
	for _, base := range bases {
		if rest, ok := strings.CutPrefix(path, base); ok && (rest == "" || rest[0] == '/') {
			return rest
		}
	}
	return path
}

// typed mounts a page of the account site whose form is restored from a kept one: submit must show the form again, before all
// else, when switchedLang says so.
func (p *Pages) typed(r chi.Router, path string, show, submit handler) {
	p.form(r, path, func(w http.ResponseWriter, r *http.Request) error {
		s, err := p.session(r)
		if err == nil {
			mine := portal.PersonOwner(s)
			if again, ok := p.restored(r, func(o portal.FormOwner) bool { return o == mine }); ok {
				return submit(w, again)
			}
		}
		return show(w, r)
	}, submit)
}

// typed is a page of a landing site whose form is restored from a kept one, for the account it belongs to or another one of the
// same person. submit must show the form again, before all else, when switchedLang says so.
func (l landing) typed(show, submit landed) handler {
	return l.page(func(w http.ResponseWriter, r *http.Request, here portal.Landing) error {
		again, ok := l.restored(r, func(o portal.FormOwner) bool { return o.CompanyID != 0 && o.SamePerson(here.Member) })
		if ok {
			return submit(w, again, here)
		}
		return show(w, r, here)
	})
}

// restoredToast says that a form is filled with what was typed before, and that it was not sent.
func restoredToast(r *http.Request, fields url.Values) string {
	if fields.Has(fileLost) {
		return locale.T(r.Context(), "kept.restored_file")
	}
	return locale.T(r.Context(), "kept.restored")
}

// misplaced answers a form of the account site that was opened for another person than who is signed in.
func (p *Pages) misplaced(w http.ResponseWriter, r *http.Request, owner portal.FormOwner, s portal.Session) error {
	ctx := r.Context()
	back, err := p.keepForm(r, owner)
	if err != nil {
		return err
	}
	opener, err := p.portal.Who(ctx, portal.Session{PhoneID: owner.PhoneID, AccountID: owner.AccountID})
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	here, err := p.portal.Who(ctx, s)
	if err != nil {
		return err
	}
	view := misplacedView{
		Heading: locale.T(ctx, "misplaced.person"), Body: locale.T(ctx, "misplaced.person_body", "there", opener, "here", here),
		Stay:   wayOn{locale.T(ctx, "misplaced.stay_as", "here", here), cmp.Or(p.pageOf(r), "/accounts")},
		SignIn: wayOn{locale.T(ctx, "misplaced.sign_in_as", "there", opener), "/login?" + url.Values{"return": {back}}.Encode()},
	}
	if hasText(r.PostForm) {
		view.Kept = locale.T(ctx, "misplaced.person_kept", "there", opener)
	}
	return p.render(w, r, http.StatusConflict, p.shell(r, "", true), misplacedPage(view))
}

// misplaced answers a form of a landing site that was opened for another account than the one that is signed in: of another
// company after a switch in another tab, or of another person.
func (l landing) misplaced(w http.ResponseWriter, r *http.Request, owner portal.FormOwner, here portal.Landing) error {
	ctx := r.Context()
	back, err := l.keepForm(r, owner)
	if err != nil {
		return err
	}
	opened, err := l.portal.OwnerMember(ctx, owner)
	if err != nil && !errors.Is(err, portal.NotFound) {
		return err
	}
	there, now := placeName(opened), placeName(here.Member)
	view := misplacedView{Stay: wayOn{locale.T(ctx, "misplaced.stay_at", "here", now), l.path}}
	if err == nil && owner.SamePerson(here.Member) {
		view.Heading, view.Body = locale.T(ctx, "misplaced.company"), locale.T(ctx, "misplaced.company_body", "there", there, "here", now)
		view.Back, view.Path, view.Token = locale.T(ctx, "misplaced.back_to", "there", there), l.path, l.formToken(r)
		view.Account, view.Return = decimal(opened.ID), back
		if hasText(r.PostForm) {
			view.Kept = locale.T(ctx, "misplaced.company_kept")
		}
		if back != "" && !strings.Contains(chi.RouteContext(ctx).RoutePattern(), "{") { // another company does not have the record
			view.Stay.Href = back
		}
	} else {
		view.Heading, view.Body = locale.T(ctx, "misplaced.person"), locale.T(ctx, "misplaced.person_body", "there", there, "here", now)
		view.Stay.Label = locale.T(ctx, "misplaced.stay_as", "here", now)
		if hasText(r.PostForm) {
			view.Kept = locale.T(ctx, "misplaced.person_kept", "there", there)
		}
		view.SignIn = wayOn{locale.T(ctx, "misplaced.sign_in_as", "there", there), l.otherSignIn(r) + "?" + url.Values{"return": {back}}.Encode()}
	}
	return l.render(w, r, http.StatusConflict, l.frame(r, here, ""), misplacedPage(view))
}

// placeName names an account and its company: "Northwind Lighting · Li (li.lights)".
func placeName(m store.Member) string {
	if m.ID == 0 {
		return ""
	}
	return m.Company.Name + " · " + who(m)
}

// enterAnother goes back to the account that a form was opened for, and to the form.
func (l landing) enterAnother(w http.ResponseWriter, r *http.Request, here portal.Landing) error {
	id, _ := portal.DecimalID(r.PostForm.Get("account_id"))
	back := r.PostForm.Get("return")
	to, err := l.portal.EnterAnother(r.Context(), here, portal.EnterInput{
		AccountID: id, Place: placeOf(r.Context()), Slot: l.slot, Lang: l.cookie(r, langCookie), Device: deviceOf(r, widthOf(r)),
		Arrive: func(slot store.Slot) string { return l.arriveAt(slot, back, true) },
	})
	if errors.Is(err, portal.LoginRequired) {
		return seeOther(w, withReturn(l.otherSignIn(r)+"?done=session_ended", back))
	}
	if err != nil {
		return err
	}
	if !l.underBase(to.URL) {
		return l.showLeaving(w, r, to.URL)
	}
	w.Header().Set("Referrer-Policy", "no-referrer")
	return seeOther(w, to.URL)
}
