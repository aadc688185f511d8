package web

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/go-chi/chi/v5"

	"portico/components"
	"portico/locale"
	"portico/portal/access"
	"portico/portal/core"
	"portico/store"
)

// A form that is sent after its session has ended, or while another person is signed in, changes nothing and is kept
// for its owner. The page that answers links back to the form: it is filled in again, but not sent.

// keptParam is the query parameter with the id of a kept form.
const keptParam = "kept"

// MisplacedView is the page that answers a form which was opened for another company or person.
type MisplacedView struct {
	Owner         components.Owner // whose shop is shown
	Heading, Body string
	Kept          string // says that the typed text is kept, "" when nothing was typed
	Back          string // label of the button that enters the form's account; "" when another person has to sign in
	Path          string // the address that the button posts to
	Account       string // id of the form's account
	Return        string // the address of the form's page, with the kept form
	Token         string
	Stay          NextLink
	SignIn        NextLink
}

// NextLink is a link to a page where the person can continue.
type NextLink struct{ Label, Href string }

// formPages maps the address of a form to the page that has the form, when a GET of that address shows another page.
var formPages = map[string]string{"/shop/orders": "/shop", "/home/orders": "/home"}

// pageOf returns the path of the page that has the form of a request: the request's own path, or the closest parent
// path with a page; "" for none.
func (p *Web) pageOf(r *http.Request) string {
	routes, path := p.Routes.At(PlaceOf(r.Context())), r.URL.Path
	if page := formPages[path]; page != "" {
		return page
	}
	for path != "" && !routes.Match(chi.NewRouteContext(), http.MethodGet, path) {
		path = path[:strings.LastIndexByte(path, '/')]
	}
	return path
}

// KeepForm keeps the form of a request for its owner and returns the address that opens it again; "" for a form that
// was opened while nobody was signed in.
func (p *Web) KeepForm(r *http.Request, owner core.FormOwner) (string, error) {
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
	id, err := p.core.Limits.KeepForm(r.Context(), core.KeptForm{Owner: owner, Path: path, Fields: fields})
	if err != nil {
		return "", err
	}
	return path + "?" + url.Values{keptParam: {id}}.Encode(), nil
}

// pageFields are the fields that the page fills in, not the person.
var pageFields = []string{"action", "form", "seen", "account_id", "company_id", "product_id", "version", "return",
	"id", "back", FileField}

// HasText reports whether the person typed something that is kept with the form.
func HasText(form url.Values) bool {
	for name, values := range core.KeptFields(form) {
		if !slices.Contains(pageFields, name) && strings.Join(values, "") != "" {
			return true
		}
	}
	return false
}

// SignInAgain keeps a form that was sent after its session had ended, and redirects to the page signIn, which leads
// back to the form. Without a form to keep it redirects to otherwise.
func (p *Web) SignInAgain(w http.ResponseWriter, r *http.Request, signIn, otherwise string) error {
	back, err := p.KeepForm(r, p.FormOwner(r))
	if err != nil {
		return err
	}
	if back == "" {
		return SeeOther(w, otherwise)
	}
	done := "session_ended"
	if HasText(r.PostForm) {
		done = "form_kept"
	}
	return SeeOther(w, WithReturn(signIn+"?done="+done, back))
}

// WithReturn adds the path to open after signing in to an address.
func WithReturn(signIn, back string) string {
	separator := "?"
	if strings.Contains(signIn, "?") {
		separator = "&"
	}
	return signIn + separator + url.Values{"return": {back}}.Encode()
}

// RestoreForm reads the kept form that the address of a page names, when mayRead allows its owner. The returned request
// has the form's fields, like the request that sent the form. false when there is no such form.
func (p *Web) RestoreForm(r *http.Request, mayRead func(core.FormOwner) bool) (*http.Request, bool) {
	id := r.URL.Query().Get(keptParam)
	if id == "" || r.Method != http.MethodGet {
		return r, false
	}
	form, err := p.core.Limits.KeptForm(r.Context(), id)
	if err != nil || !mayRead(form.Owner) || withoutBase(form.Path) != withoutBase(r.URL.Path) {
		return r, false // expired or another person's: the page is shown without it
	}
	VisitOf(r.Context()).Restored = form.Fields
	r = r.WithContext(r.Context())
	r.PostForm, r.Form = form.Fields, form.Fields
	return r, true
}

// withoutBase removes the path of the side's first page from a path of a landing site: phones and desktops have
// different first pages.
func withoutBase(path string) string {
	for _, base := range Bases {
		if rest, ok := strings.CutPrefix(path, base); ok && (rest == "" || rest[0] == '/') {
			return rest
		}
	}
	return path
}

// restoredToast says that the form contains the text that was typed earlier, and that it was not sent.
func restoredToast(r *http.Request, fields url.Values) string {
	if fields.Has(FileField) {
		return locale.T(r.Context(), "kept.restored_file")
	}
	return locale.T(r.Context(), "kept.restored")
}

// misplaced keeps a form of the account site that was opened for another person than the one who is signed in, and
// answers 409 with a page that names both.
func (p *Web) misplaced(w http.ResponseWriter, r *http.Request, owner core.FormOwner, s access.Session) error {
	ctx := r.Context()
	back, err := p.KeepForm(r, owner)
	if err != nil {
		return err
	}
	opener, err := p.accounts.PersonLabel(ctx,
		access.Session{PersonID: owner.PersonID, AccountID: owner.AccountID})
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	here, err := p.accounts.PersonLabel(ctx, s)
	if err != nil {
		return err
	}
	view := MisplacedView{
		Owner:   HostOwner(r),
		Heading: locale.T(ctx, "misplaced.person"),
		Body:    locale.T(ctx, "misplaced.person_body", "there", opener, "here", here),
		Stay:    NextLink{locale.T(ctx, "misplaced.stay_as", "here", here), cmp.Or(p.pageOf(r), "/accounts")},
		SignIn: NextLink{
			locale.T(ctx, "misplaced.sign_in_as", "there", opener), "/login?" + url.Values{"return": {back}}.Encode(),
		},
	}
	if HasText(r.PostForm) {
		view.Kept = locale.T(ctx, "misplaced.person_kept", "there", opener)
	}
	shell := p.Shell(r, "", true)
	shell.State, shell.Brief = true, true
	return p.Render(w, r, http.StatusConflict, shell, MisplacedPage(view))
}

// PlaceName returns the label of an account with its company: "Northwind Lighting · Li (li.lights)"; "" for the zero
// Member.
func PlaceName(m store.Member) string {
	if m.ID == 0 {
		return ""
	}
	return m.Company.Name + " · " + AccountLabel(m)
}

// FileField is the field that the uploads package adds to a form that was sent with a file. A kept form has the field,
// but not the file.
const FileField = "_file"
