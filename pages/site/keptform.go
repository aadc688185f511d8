package site

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/go-chi/chi/v5"

	"portico/locale"
	"portico/pages/web"
	"portico/portal/access"
	"portico/portal/core"
)

// Misplaced keeps a form of a landing site that was opened for another account than the one that is signed in, and
// answers 409 with a page that names both. The other account is the same person's, after a switch of the company in
// another tab, or another person's.
func (l *Site) Misplaced(w http.ResponseWriter, r *http.Request, owner core.FormOwner, here access.Landing) error {
	ctx := r.Context()
	back, err := l.web.KeepForm(r, owner)
	if err != nil {
		return err
	}
	opened, err := l.portal.Core.Limits.OwnerMember(ctx, owner)
	if err != nil && !errors.Is(err, access.NotFound) {
		return err
	}
	there, now := web.PlaceName(opened), web.PlaceName(here.Member)
	backTo, stayAt := there, now // buttons name the companies alone where that is enough
	if opened.CompanyID != here.Member.CompanyID {
		backTo, stayAt = opened.Company.Name, here.Member.Company.Name
	}
	view := web.MisplacedView{
		Owner: web.Owner(here.Member.Company),
		Stay:  web.NextLink{Label: locale.T(ctx, "misplaced.stay_at", "here", stayAt), Href: l.path},
	}
	if err == nil && owner.SamePerson(here.Member) {
		view.Heading = locale.T(ctx, "misplaced.company")
		view.Body = locale.T(ctx, "misplaced.company_body", "there", there, "here", now)
		view.Back = locale.T(ctx, "misplaced.back_to", "there", backTo)
		view.Path = l.path
		view.Token = l.web.FormToken(r)
		view.Account, view.Return = web.Decimal(opened.ID), back
		if web.HasText(r.PostForm) {
			view.Kept = locale.T(ctx, "misplaced.company_kept")
		}
		// A page with an id in its path shows a record that the other company does not have.
		if back != "" && !strings.Contains(chi.RouteContext(ctx).RoutePattern(), "{") {
			view.Stay.Href = back
		}
	} else {
		view.Heading = locale.T(ctx, "misplaced.person")
		view.Body = locale.T(ctx, "misplaced.person_body", "there", there, "here", now)
		view.Stay.Label = locale.T(ctx, "misplaced.stay_as", "here", web.AccountLabel(here.Member))
		if web.HasText(r.PostForm) {
			view.Kept = locale.T(ctx, "misplaced.person_kept", "there", there)
		}
		view.SignIn = web.NextLink{
			Label: locale.T(ctx, "misplaced.sign_in_as", "there", web.AccountLabel(opened)),
			Href:  l.web.OtherSignIn(r) + "?" + url.Values{"return": {back}}.Encode(),
		}
	}
	return l.web.Render(w, r, http.StatusConflict, l.Frame(r, here, ""), web.MisplacedPage(view))
}

// EnterAnother enters the account that a form was opened for and redirects to the kept form.
func (l *Site) EnterAnother(w http.ResponseWriter, r *http.Request, here access.Landing) error {
	id, _ := access.DecimalID(r.PostForm.Get("account_id"))
	back := r.PostForm.Get("return")
	to, err := l.portal.Entry.EnterAnother(r.Context(), here, access.EnterInput{
		AccountID: id, Place: web.PlaceOf(r.Context()), Slot: l.slot, Lang: l.web.Cookie(r, web.LangCookie),
		Device: web.DeviceOf(r, web.WidthOf(r)),
		Arrive: l.web.Arrivals(back, true),
	})
	if errors.Is(err, access.LoginRequired) {
		return web.SeeOther(w, web.WithReturn(l.SignInFrom(r), back))
	}
	if err != nil {
		return err
	}
	return l.web.LeaveFor(w, r, to)
}
