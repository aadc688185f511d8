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
	"portico/portal/access"
	"portico/portal/limits"
	"portico/store"
)

// A form that is sent after its session has ended, or while another person is signed in, changes nothing and is kept
// for its owner. The page that answers links back to the form: it is filled in again, but not sent.

// keptParam is the query parameter with the id of a kept form.
const keptParam = "kept"

// misplacedView is the page that answers a form which was opened for another company or person.
type misplacedView struct {
	Heading, Body string
	Kept          string // says that the typed text is kept, "" when nothing was typed
	Back          string // label of the button that enters the form's account; "" when another person has to sign in
	Path          string // the address that the button posts to
	Account       string // id of the form's account
	Return        string // the address of the form's page, with the kept form
	Token         string
	Stay          nextLink
	SignIn        nextLink
}

// nextLink is a link to a page where the person can continue.
type nextLink struct{ Label, Href string }

// formPages maps the address of a form to the page that has the form, when a GET of that address shows another page.
var formPages = map[string]string{"/shop/orders": "/shop", "/home/orders": "/home"}

// pageOf returns the path of the page that has the form of a request: the request's own path, or the closest parent
// path with a page; "" for none.
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

// keepForm keeps the form of a request for its owner and returns the address that opens it again; "" for a form that
// was opened while nobody was signed in.
func (p *Pages) keepForm(r *http.Request, owner limits.FormOwner) (string, error) {
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
	id, err := p.portal.Limits.KeepForm(r.Context(), limits.KeptForm{Owner: owner, Path: path, Fields: fields})
	if err != nil {
		return "", err
	}
	return path + "?" + url.Values{keptParam: {id}}.Encode(), nil
}

// pageFields are the fields that the page fills in, not the person.
var pageFields = []string{"action", "form", "seen", "account_id", "company_id", "product_id", "version", "return", fileField}

// hasText says whether the person typed something that is kept with the form.
func hasText(form url.Values) bool {
	for name, values := range limits.KeptFields(form) {
		if !slices.Contains(pageFields, name) && strings.Join(values, "") != "" {
			return true
		}
	}
	return false
}

// signInAgain keeps a form that was sent after its session had ended, and redirects to the page signIn, which leads
// back to the form. Without a form to keep it redirects to otherwise.
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

// withReturn adds the path to open after signing in to an address.
func withReturn(signIn, back string) string {
	separator := "?"
	if strings.Contains(signIn, "?") {
		separator = "&"
	}
	return signIn + separator + url.Values{"return": {back}}.Encode()
}

// restored reads the kept form that the address of a page names, when mayRead allows its owner. The returned request
// has the form's fields, like the request that sent the form. false when there is no such form.
func (p *Pages) restored(r *http.Request, mayRead func(limits.FormOwner) bool) (*http.Request, bool) {
	id := r.URL.Query().Get(keptParam)
	if id == "" || r.Method != http.MethodGet {
		return r, false
	}
	form, err := p.portal.Limits.KeptForm(r.Context(), id)
	if err != nil || !mayRead(form.Owner) || withoutBase(form.Path) != withoutBase(r.URL.Path) {
		return r, false // expired or another person's: the page is shown without it
	}
	visitOf(r.Context()).restored = form.Fields
	r = r.WithContext(r.Context())
	r.PostForm, r.Form = form.Fields, form.Fields
	return r, true
}

// withoutBase removes the path of the side's first page from a path of a landing site: phones and desktops have
// different first pages.
func withoutBase(path string) string {
	for _, base := range bases {
		if rest, ok := strings.CutPrefix(path, base); ok && (rest == "" || rest[0] == '/') {
			return rest
		}
	}
	return path
}

// typedForm mounts a page of the account site that can show a kept form again. It calls submit with the kept form. So
// submit must render the form again, before it does anything else, when switchedLang returns true.
func (p *Pages) typedForm(r chi.Router, path string, show, submit handler) {
	p.form(r, path, p.kept(show, submit), submit)
}

// kept shows a kept form again where the address names one, as typedForm does.
func (p *Pages) kept(show, submit handler) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		s, err := p.session(r)
		if err == nil {
			mine := limits.PersonOwner(s)
			if again, ok := p.restored(r, func(o limits.FormOwner) bool { return o == mine }); ok {
				return submit(w, again)
			}
		}
		return show(w, r)
	}
}

// typed is the same for a page of a landing site. It shows the kept form to its account and to other accounts of the
// same person.
func (l landingPages) typed(show, submit landed) handler {
	return l.page(func(w http.ResponseWriter, r *http.Request, here access.Landing) error {
		again, ok := l.restored(r, func(o limits.FormOwner) bool { return o.OpensFor(here.Member) })
		if ok {
			return submit(w, again, here)
		}
		return show(w, r, here)
	})
}

// restoredToast says that the form has the text that was typed before, and that it was not sent.
func restoredToast(r *http.Request, fields url.Values) string {
	if fields.Has(fileField) {
		return locale.T(r.Context(), "kept.restored_file")
	}
	return locale.T(r.Context(), "kept.restored")
}

// misplaced keeps a form of the account site that was opened for another person than the one who is signed in, and
// answers 409 with a page that names both.
func (p *Pages) misplaced(w http.ResponseWriter, r *http.Request, owner limits.FormOwner, s access.Session) error {
	ctx := r.Context()
	back, err := p.keepForm(r, owner)
	if err != nil {
		return err
	}
	opener, err := p.portal.Accounts.PersonLabel(ctx, access.Session{PhoneID: owner.PhoneID, AccountID: owner.AccountID})
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	here, err := p.portal.Accounts.PersonLabel(ctx, s)
	if err != nil {
		return err
	}
	view := misplacedView{
		Heading: locale.T(ctx, "misplaced.person"),
		Body:    locale.T(ctx, "misplaced.person_body", "there", opener, "here", here),
		Stay:    nextLink{locale.T(ctx, "misplaced.stay_as", "here", here), cmp.Or(p.pageOf(r), "/accounts")},
		SignIn: nextLink{
			locale.T(ctx, "misplaced.sign_in_as", "there", opener), "/login?" + url.Values{"return": {back}}.Encode(),
		},
	}
	if hasText(r.PostForm) {
		view.Kept = locale.T(ctx, "misplaced.person_kept", "there", opener)
	}
	return p.render(w, r, http.StatusConflict, p.shell(r, "", true), misplacedPage(view))
}

// misplaced keeps a form of a landing site that was opened for another account than the one that is signed in, and
// answers 409 with a page that names both. The other account is the same person's, after a switch of the company in
// another tab, or another person's.
func (l landingPages) misplaced(w http.ResponseWriter, r *http.Request, owner limits.FormOwner, here access.Landing) error {
	ctx := r.Context()
	back, err := l.keepForm(r, owner)
	if err != nil {
		return err
	}
	opened, err := l.portal.Limits.OwnerMember(ctx, owner)
	if err != nil && !errors.Is(err, access.NotFound) {
		return err
	}
	there, now := placeName(opened), placeName(here.Member)
	backTo, stayAt := there, now // buttons name the companies alone where that is enough
	if opened.CompanyID != here.Member.CompanyID {
		backTo, stayAt = opened.Company.Name, here.Member.Company.Name
	}
	view := misplacedView{Stay: nextLink{locale.T(ctx, "misplaced.stay_at", "here", stayAt), l.path}}
	if err == nil && owner.SamePerson(here.Member) {
		view.Heading = locale.T(ctx, "misplaced.company")
		view.Body = locale.T(ctx, "misplaced.company_body", "there", there, "here", now)
		view.Back, view.Path, view.Token = locale.T(ctx, "misplaced.back_to", "there", backTo), l.path, l.formToken(r)
		view.Account, view.Return = decimal(opened.ID), back
		if hasText(r.PostForm) {
			view.Kept = locale.T(ctx, "misplaced.company_kept")
		}
		// A page with an id in its path shows a record that the other company does not have.
		if back != "" && !strings.Contains(chi.RouteContext(ctx).RoutePattern(), "{") {
			view.Stay.Href = back
		}
	} else {
		view.Heading = locale.T(ctx, "misplaced.person")
		view.Body = locale.T(ctx, "misplaced.person_body", "there", there, "here", now)
		view.Stay.Label = locale.T(ctx, "misplaced.stay_as", "here", who(here.Member))
		if hasText(r.PostForm) {
			view.Kept = locale.T(ctx, "misplaced.person_kept", "there", there)
		}
		view.SignIn = nextLink{
			locale.T(ctx, "misplaced.sign_in_as", "there", who(opened)),
			l.otherSignIn(r) + "?" + url.Values{"return": {back}}.Encode(),
		}
	}
	return l.render(w, r, http.StatusConflict, l.frame(r, here, ""), misplacedPage(view))
}

// placeName names an account with its company: "Northwind Lighting · Li (li.lights)"; "" for the zero Member.
func placeName(m store.Member) string {
	if m.ID == 0 {
		return ""
	}
	return m.Company.Name + " · " + who(m)
}

// enterAnother enters the account that a form was opened for and redirects to the kept form.
func (l landingPages) enterAnother(w http.ResponseWriter, r *http.Request, here access.Landing) error {
	id, _ := access.DecimalID(r.PostForm.Get("account_id"))
	back := r.PostForm.Get("return")
	to, err := l.portal.Entry.EnterAnother(r.Context(), here, access.EnterInput{
		AccountID: id, Place: placeOf(r.Context()), Slot: l.slot, Lang: l.cookie(r, langCookie),
		Device: deviceOf(r, widthOf(r)),
		Arrive: func(slot store.Slot) string { return l.arriveAt(slot, back, true) },
	})
	if errors.Is(err, access.LoginRequired) {
		return seeOther(w, withReturn(l.signInFrom(r), back))
	}
	if err != nil {
		return err
	}
	return l.leaveFor(w, r, to)
}
