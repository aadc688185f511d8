package portal

import (
	"context"
	"errors"

	"portico/store"
)

// JoinSetting reads how a company that a program names takes new customers; ValidationFailed where it names none, NotFound.
func (p *Portal) JoinSetting(ctx context.Context, companyID int64) (RegistrationSetting, error) {
	if companyID == 0 {
		return RegistrationSetting{}, invalid(Fields{"company_id": ChoiceRequired})
	}
	return p.Registration(ctx, companyID)
}

// ApplicantQuestion asks about somebody who wants to join a company: by phone, or by an identity of a provider. OpenID names one only with the Ticket that
// proves it (requirement 70); a Ticket of an identity does without. With a phone, Ticket is the phone's.
type ApplicantQuestion struct {
	CompanyID int64  `json:"company_id_"`
	Phone     string `json:"phone_"`
	OpenID    string `json:"open_id_"`
	Ticket    string `json:"ticket_"`

	Client Client
}

// identityAsked is the phone with which the identity of a question applies to the company, "" for none; asked says that the question is by an identity.
// LoginRequired for one that the ticket does not prove for this company, and what openTicket refuses.
func (p *Portal) identityAsked(ctx context.Context, in ApplicantQuestion) (phone string, asked bool, err error) {
	if in.OpenID == "" && (in.Phone != "" || in.Ticket == "") {
		return "", false, nil
	}
	who, err := p.openTicket(ctx, in.Ticket, holder{Client: in.Client})
	if errors.Is(err, LoginRequired) && in.OpenID == "" { // a phone's ticket without the phone
		return "", false, nil
	}
	if err == nil && (in.OpenID != "" && in.OpenID != who.Identity.Subject || who.CompanyID != 0 && who.CompanyID != in.CompanyID) {
		err = LoginRequired
	}
	if err != nil {
		return "", true, err
	}
	phone, err = p.phoneOfApplicant(ctx, who, in.CompanyID)
	if phone != "" || err != nil {
		return phone, true, err
	}
	c, _, _, err := p.linked(ctx, who)
	return c.phone.Phone + c.member.Phone, true, err
}

// byIdentity says where the identity of a question stands, and what it sent in last; asked as identityAsked.
func (p *Portal) byIdentity(ctx context.Context, in ApplicantQuestion) (state ApplicantState, last store.Application, asked bool, err error) {
	phone, asked, err := p.identityAsked(ctx, in)
	if phone == "" || err != nil {
		return ApplicantNone, last, asked, err
	}
	state, newest, err := p.standing(ctx, phone, in.CompanyID)
	return state, notDeclined(state, newest), true, err
}

// LookUpApplicant says where somebody stands with a company. By phone for anyone who asks: it draws on the address's budget of look-ups
// (requirement 12), and strict tells everyone "none". NotFound for a company that is none; LoginRequired for an identity that is not proven.
func (p *Portal) LookUpApplicant(ctx context.Context, in ApplicantQuestion) (ApplicantState, error) {
	if _, err := p.JoinSetting(ctx, in.CompanyID); err != nil {
		return "", err
	}
	state, _, asked, err := p.byIdentity(ctx, in)
	if asked || err != nil {
		return state, err
	}
	state, _, err = p.WhereApplicantStands(ctx, PhoneInput{Phone: in.Phone, CompanyID: in.CompanyID}, in.Ticket)
	return state, err
}

// LookUpLastApplication reads what somebody sent in to a company last: whole with a ticket of the phone, without one its state
// alone, from the budget of look-ups, and with strict nothing; by a proven identity its state and number. NotFound for nothing and with the ticket of
// somebody else; CodeExpired for a phone's ticket that is too old; LoginRequired for an identity that is not proven.
func (p *Portal) LookUpLastApplication(ctx context.Context, in ApplicantQuestion) (ApplicationView, error) {
	if _, err := p.JoinSetting(ctx, in.CompanyID); err != nil {
		return ApplicationView{}, err
	}
	if err := p.ticketInTime(in.Ticket); err != nil {
		return ApplicationView{}, err
	}
	_, last, byIdentity, err := p.byIdentity(ctx, in)
	if err == nil && !byIdentity {
		_, last, err = p.WhereApplicantStands(ctx, PhoneInput{Phone: in.Phone, CompanyID: in.CompanyID}, in.Ticket)
	}
	if err != nil {
		return ApplicationView{}, err
	}
	if last.ID == 0 {
		return ApplicationView{}, NotFound
	}
	view, err := p.applicationView(ctx, last, in.Ticket)
	if err == nil && in.Ticket != "" && !view.Whole && !byIdentity {
		err = NotFound
	}
	if err != nil {
		return ApplicationView{}, err
	}
	if !view.Whole && !byIdentity { // with it anybody who knows the phone could follow what becomes of it
		view.ID = 0
	}
	return view, nil
}

// ApplicationQuestion asks for an application by its id; with CompanyID for one of that company alone.
type ApplicationQuestion struct {
	ID        int64
	CompanyID int64
	Ticket    string `json:"ticket_"`
}

// LookUpApplication reads an application by its id, as LookUpLastApplication does by phone.
func (p *Portal) LookUpApplication(ctx context.Context, in ApplicationQuestion) (ApplicationView, error) {
	if err := p.ticketInTime(in.Ticket); err != nil {
		return ApplicationView{}, err
	}
	view, err := p.ApplicationByID(ctx, in.ID, in.Ticket)
	if err != nil && !errors.Is(err, NotFound) {
		return ApplicationView{}, err
	}
	if !view.Whole { // whether there is one or not: ids are not to be walked
		if err := p.probed(ctx, "application:"+decimal(in.ID)); err != nil {
			return ApplicationView{}, err
		}
	}
	untold := !view.Whole && (in.Ticket != "" || p.strict)
	if err != nil || untold || in.CompanyID != 0 && in.CompanyID != view.CompanyID {
		return ApplicationView{}, NotFound
	}
	return view, nil
}

// ticketInTime refuses a ticket that was good once, so that its holder proves the phone anew.
func (p *Portal) ticketInTime(ticket string) error {
	var t applicantTicket
	if p.unseal("applicant", ticket, &t) == nil && p.ended(t.Until) {
		return &Refused{Refusal: CodeExpired}
	}
	return nil
}
