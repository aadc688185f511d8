package application

import (
	"context"
	"errors"

	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/signin"
	"portico/store"
)

// LookUpApplicantInput asks about an applicant of a company: by phone, or by a chat identity. An identity needs the
// Ticket that proves it, because its id (OpenID) is no secret; the Ticket is enough without OpenID. With a phone,
// Ticket is the one that proves the phone, "" for none.
type LookUpApplicantInput struct {
	CompanyID int64  `json:"company_id_"`
	Phone     string `json:"phone_"`
	OpenID    string `json:"open_id_"`
	Ticket    string `json:"ticket_"`

	Client access.Client
}

// LookUpApplicationState returns the state of an applicant with a company. By phone it needs no proof: see byPhone. It
// refuses with NotFound an unknown company, and with LoginRequired an identity that is not proven.
func (ap *Application) LookUpApplicationState(ctx context.Context, in LookUpApplicantInput) (ApplicantState, error) {
	if _, err := ap.ApplicationSetting(ctx, in.CompanyID); err != nil {
		return "", err
	}
	state, _, _, err := ap.lookUp(ctx, in)
	return state, err
}

// LookUpLastApplication reads the last application of an applicant to a company. With a ticket of the phone it returns
// the whole application; for a proven identity the state and the number; otherwise only the state, and with strict
// privacy nothing: see byPhone. It refuses with NotFound when there is no application or the ticket is another
// person's; with CodeExpired a phone's ticket that has expired; and with LoginRequired an identity that is not proven.
func (ap *Application) LookUpLastApplication(ctx context.Context, in LookUpApplicantInput) (ApplicationView, error) {
	if _, err := ap.ApplicationSetting(ctx, in.CompanyID); err != nil {
		return ApplicationView{}, err
	}
	if err := ap.refuseExpired(in.Ticket); err != nil {
		return ApplicationView{}, err
	}
	_, last, byIdentity, err := ap.lookUp(ctx, in)
	if err != nil {
		return ApplicationView{}, err
	}
	if last.ID == 0 {
		return ApplicationView{}, access.NotFound
	}
	view, err := ap.applicationView(ctx, last, in.Ticket)
	if err != nil {
		return ApplicationView{}, err
	}
	if in.Ticket != "" && !view.AllFields && !byIdentity {
		return ApplicationView{}, access.NotFound
	}
	if !view.AllFields && !byIdentity { // the number would let anyone who knows the phone follow the application
		view.ID = 0
	}
	return view, nil
}

// lookUp returns the state of an applicant with a company and the last application, zero for none. byIdentity reports
// whether the question is by an identity and not by a phone.
func (ap *Application) lookUp(
	ctx context.Context, in LookUpApplicantInput,
) (state ApplicantState, last store.Application, byIdentity bool, err error) {
	phone, byIdentity, err := ap.phoneOfIdentity(ctx, in)
	if err != nil || byIdentity && phone == "" {
		return ApplicantNone, last, byIdentity, err
	}
	if byIdentity {
		state, newest, err := ap.applicantStateOf(ctx, phone, in.CompanyID)
		return state, notDeclined(state, newest), true, err
	}
	state, last, err = ap.byPhone(ctx, core.PhoneInput{Phone: in.Phone, CompanyID: in.CompanyID}, in.Ticket)
	return state, last, false, err
}

// phoneOfIdentity returns the phone with which the person of an identity applied to the company, "" for none.
// isIdentity is false when the question is by phone. It refuses with LoginRequired an identity that the ticket does not
// prove for this company, and as OpenTicket does.
func (ap *Application) phoneOfIdentity(
	ctx context.Context, in LookUpApplicantInput,
) (phone string, isIdentity bool, err error) {
	if in.OpenID == "" && (in.Phone != "" || in.Ticket == "") {
		return "", false, nil
	}
	who, err := ap.chatlogin.OpenTicket(ctx, in.Ticket, signin.Holder{Client: in.Client})
	if errors.Is(err, access.LoginRequired) && in.OpenID == "" { // a phone's ticket without the phone
		return "", false, nil
	}
	if err != nil {
		return "", true, err
	}
	if in.OpenID != "" && in.OpenID != who.Identity.Subject || who.CompanyID != 0 && who.CompanyID != in.CompanyID {
		return "", true, access.LoginRequired
	}
	phone, err = ap.chatlogin.PhoneOfApplicant(ctx, who, in.CompanyID)
	if phone != "" || err != nil {
		return phone, true, err
	}
	c, _, _, err := ap.chatlogin.Linked(ctx, who)
	return c.Phone(), true, err
}

// byPhone returns the state of a phone with a company, and its last application, zero for none. Without a ticket of the
// phone the call counts against the look-up limit of the caller's network, so that phones cannot be enumerated; with
// strict privacy the answer is ApplicantNone for every phone.
func (ap *Application) byPhone(
	ctx context.Context, in core.PhoneInput, ticket string,
) (ApplicantState, store.Application, error) {
	if err := in.Validate(); err != nil {
		return "", store.Application{}, err
	}
	if in.CompanyID == 0 {
		return "", store.Application{}, access.Invalid(access.Fields{"company_id": access.ChoiceRequired})
	}
	proven, err := ap.Applicant(ticket, in.CompanyID)
	if err != nil || proven.Number != in.Phone {
		if err := ap.core.Limits.CountLookup(ctx, "phone:"+in.Phone); err != nil || ap.core.Strict {
			return ApplicantNone, store.Application{}, err
		}
	}
	state, newest, err := ap.applicantStateOf(ctx, in.Phone, in.CompanyID)
	return state, notDeclined(state, newest), err
}

// LookUpApplicationInput asks for an application by its id. CompanyID limits it to one company, 0 for any.
type LookUpApplicationInput struct {
	ID        int64
	CompanyID int64
	Ticket    string `json:"ticket_"`
}

// LookUpApplication reads an application by its id, as LookUpLastApplication does by phone.
func (ap *Application) LookUpApplication(ctx context.Context, in LookUpApplicationInput) (ApplicationView, error) {
	if err := ap.refuseExpired(in.Ticket); err != nil {
		return ApplicationView{}, err
	}
	view, err := ap.ApplicationByID(ctx, in.ID, in.Ticket)
	if err != nil && !errors.Is(err, access.NotFound) {
		return ApplicationView{}, err
	}
	if !view.AllFields { // also when there is no application, so that ids cannot be enumerated
		if err := ap.core.Limits.CountLookup(ctx, "application:"+access.Decimal(in.ID)); err != nil {
			return ApplicationView{}, err
		}
	}
	isHidden := !view.AllFields && (in.Ticket != "" || ap.core.Strict)
	if err != nil || isHidden || in.CompanyID != 0 && in.CompanyID != view.CompanyID {
		return ApplicationView{}, access.NotFound
	}
	return view, nil
}

// refuseExpired refuses with CodeExpired an applicant's ticket that has expired, so that the phone is proved again.
func (ap *Application) refuseExpired(ticket string) error {
	var t signin.ApplicantTicket
	if ap.core.Sealing.Unseal("applicant", ticket, &t) == nil && ap.core.Limits.Ended(t.Until) {
		return &access.Refused{Refusal: access.CodeExpired}
	}
	return nil
}
