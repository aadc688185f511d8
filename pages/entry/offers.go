package entry

import (
	"errors"
	"net/http"

	"portico/components"
	"portico/locale"
	"portico/pages/web"
	"portico/portal/access"
	"portico/portal/signin"
	"portico/store"
)

// OffersView is the block of offers on a page. All is how many there are, More how many of them are not shown.
type OffersView struct {
	Offers  []offerCard
	All     int
	More    int
	Token   string
	Agree   bool   // accepting includes accepting the agreement
	Version string // of the agreement, with Agree
	Alone   bool   // the page shows nothing else: the block has the page's heading
}

// offerCard is one offer. Name is a name that the platform has checked, or the company's number.
type offerCard struct {
	AccountID int64
	Name      string
	Icon      string
	Chips     []web.Chip
	What      string
	Claims    string // the company's own name for itself, when the platform has not checked it
	By        string
}

// offerKinds are the locale keys of the offered account, by account type.
var offerKinds = map[int]string{
	store.TypeAdministrator: "offers.type_1", store.TypeEmployee: "offers.type_2", store.TypeShop: "offers.type_3",
}

// OffersView returns the block of the offers that the person of a session has.
func (p *Pages) OffersView(r *http.Request, s access.Session) (OffersView, error) {
	ctx := r.Context()
	version := p.Agreement(r).Version
	offers, err := p.accounts.Offers(ctx, s, version)
	if err != nil {
		return OffersView{}, err
	}
	v := OffersView{All: offers.All, More: offers.All - len(offers.Shown), Token: p.web.FormToken(r),
		Agree: offers.Agree}
	if v.Agree {
		v.Version = version
	}
	for _, offer := range offers.Shown {
		v.Offers = append(v.Offers, newOfferCard(r, offer))
	}
	return v, nil
}

// newOfferCard returns the card of an offer.
func newOfferCard(r *http.Request, offer signin.Offer) offerCard {
	ctx, m := r.Context(), offer.Member
	day := components.Day(locale.Of(ctx), offer.At)
	card := offerCard{
		AccountID: m.ID, Name: offer.Name, What: locale.T(ctx, offerKinds[m.Type]),
		By: locale.T(ctx, "offers.on", "day", day),
	}
	if offer.Applied {
		card.What = locale.T(ctx, "offers.from_application")
	}
	if offer.Opener != "" {
		card.By = locale.T(ctx, "offers.by", "name", offer.Opener, "day", day)
	}
	if offer.Trial {
		card.Chips = append(card.Chips, web.Chip{Kind: "warn", Text: locale.T(ctx, "offers.trial")})
	}
	if card.Name == "" { // neither its name nor its picture was checked
		card.Name = locale.T(ctx, "offers.unnamed", "num", m.CompanyID)
		card.Claims = locale.T(ctx, "offers.claims", "company", offer.Claimed)
		card.Chips = append(card.Chips, web.Chip{Kind: "warn", Text: locale.T(ctx, "offers.unconfirmed")})
	} else {
		card.Icon = web.OwnIcon(m.Company.IconURL)
	}
	return card
}

// ShowOffers answers GET /offers: the accounts that companies offer to the person who is signed in.
func (p *Pages) ShowOffers(w http.ResponseWriter, r *http.Request) error {
	s, err := p.web.SignedIn(r)
	if err != nil {
		return err
	}
	return p.renderOffers(w, r, s, nil)
}

// SubmitOffers answers POST /offers: the person accepts or declines an offered account.
func (p *Pages) SubmitOffers(w http.ResponseWriter, r *http.Request) error {
	s, err := p.web.SignedIn(r)
	if err != nil {
		return err
	}
	in := signin.OfferInput{Session: s, Lang: string(locale.Of(r.Context()))}
	web.Decode(r, &in)
	switch r.PostForm.Get("action") {
	case "decline":
		if err := p.accounts.DeclineOffer(r.Context(), in); err != nil {
			return err
		}
		return web.SeeOther(w, web.OffersPath+"?done=declined")
	case "accept":
		return p.acceptOffer(w, r, s, in)
	}
	return access.BadRequest
}

// acceptOffer accepts an offer and continues as after a sign-in.
func (p *Pages) acceptOffer(w http.ResponseWriter, r *http.Request, s access.Session, in signin.OfferInput) error {
	version := p.Agreement(r).Version
	due, err := p.accounts.Agreements.Due(r.Context(), s, version)
	if err != nil {
		return err
	}
	if due && in.Version != version { // the page did not show the present version
		return p.renderOffers(w, r, s, nil)
	}
	if !due {
		in.Version = ""
	}
	step, err := p.accounts.AcceptOffer(r.Context(), in)
	if refused, ok := errors.AsType[*access.Refused](err); ok {
		return p.renderOffers(w, r, s, refused)
	}
	if err != nil {
		return err
	}
	return p.Next(w, r, s, step)
}

// renderOffers writes the page of the offers, with the refusal; nil for none.
func (p *Pages) renderOffers(w http.ResponseWriter, r *http.Request, s access.Session, refused *access.Refused) error {
	ctx := r.Context()
	view, err := p.OffersView(r, s)
	if err != nil {
		return err
	}
	view.Alone = true
	var mistakes []components.Mistake
	if refused != nil {
		message := web.RefusalText(r, refused)
		if refused.Refusal == access.Offered {
			message = locale.T(ctx, "offers.expired")
		}
		mistakes = []components.Mistake{{Message: message}}
	}
	shell := p.web.Shell(r, "", true)
	shell.Wide = true
	shell.Offline = true
	shell.Account = web.AccountMenu(view.Token)
	if r.URL.Query().Get("done") == "declined" {
		shell.Toast = locale.T(ctx, "offers.declined")
	}
	return p.web.Render(w, r, web.RefusedStatus(w, refused), shell, offersPage(view, mistakes))
}
