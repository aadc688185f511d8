package portal

import (
	"context"
	"errors"
)

// JoinSetting reads how a company that a program names takes new customers; ValidationFailed where it names none, NotFound.
func (p *Portal) JoinSetting(ctx context.Context, companyID int64) (RegistrationSetting, error) {
	if companyID == 0 {
		return RegistrationSetting{}, invalid(Fields{"company_id": ChoiceRequired})
	}
	return p.Registration(ctx, companyID)
}

// ApplicantQuestion asks about somebody who wants to join a company. OpenID is an identity of WeChat: no client is believed
// one (requirement 70), so that alone it is nobody's.
type ApplicantQuestion struct {
	CompanyID int64  `json:"company_id_"`
	Phone     string `json:"phone_"`
	OpenID    string `json:"open_id_"`
}

// nobodys counts a question that names no phone, which has no answer; asked says that it was one.
func (p *Portal) nobodys(ctx context.Context, in ApplicantQuestion) (asked bool, err error) {
	if in.Phone != "" || in.OpenID == "" {
		return false, nil
	}
	return true, p.probed(ctx, "open id:"+in.OpenID)
}

// LookUpApplicant says where somebody stands with a company, for anyone who asks: it draws on the address's budget of look-ups
// (requirement 12), and strict tells everyone "none". NotFound for a company that is none.
func (p *Portal) LookUpApplicant(ctx context.Context, in ApplicantQuestion) (ApplicantState, error) {
	if _, err := p.JoinSetting(ctx, in.CompanyID); err != nil {
		return "", err
	}
	if asked, err := p.nobodys(ctx, in); asked || err != nil {
		return ApplicantNone, err
	}
	state, _, err := p.WhereApplicantStands(ctx, PhoneInput{Phone: in.Phone, CompanyID: in.CompanyID}, "")
	return state, err
}

// LookUpLastApplication reads what somebody sent in to a company last: whole with a ticket of the phone, without one its state
// alone, from the budget of look-ups, and with strict nothing. NotFound for nothing and with the ticket of somebody else; CodeExpired
// for a ticket that is too old.
func (p *Portal) LookUpLastApplication(ctx context.Context, in ApplicantQuestion, ticket string) (ApplicationView, error) {
	if _, err := p.JoinSetting(ctx, in.CompanyID); err != nil {
		return ApplicationView{}, err
	}
	if err := p.ticketInTime(ticket); err != nil {
		return ApplicationView{}, err
	}
	if asked, err := p.nobodys(ctx, in); err != nil {
		return ApplicationView{}, err
	} else if asked {
		return ApplicationView{}, NotFound
	}
	_, last, err := p.WhereApplicantStands(ctx, PhoneInput{Phone: in.Phone, CompanyID: in.CompanyID}, ticket)
	if err != nil {
		return ApplicationView{}, err
	}
	if last.ID == 0 {
		return ApplicationView{}, NotFound
	}
	view, err := p.applicationView(ctx, last, ticket)
	if err == nil && ticket != "" && !view.Whole {
		err = NotFound
	}
	if err != nil {
		return ApplicationView{}, err
	}
	if !view.Whole { // with it anybody who knows the phone could follow what becomes of it
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
	var who applicant
	if p.unseal("applicant", ticket, &who) == nil && who.Until < p.now().UnixMilli() {
		return &Refused{Refusal: CodeExpired}
	}
	return nil
}
