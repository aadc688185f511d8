package signin

import (
	"context"
	"errors"
	"time"

	"portico/portal/access"
	"portico/portal/core"
	"portico/store"
)

// ApplicantLife is how long the ticket of a proven phone is valid.
const ApplicantLife = 15 * time.Minute

// Applicant is a person who has proven a phone to a company, to send an application. Only a ticket makes one; the zero
// value is nobody.
type Applicant struct {
	Company int64         // the id of the company
	Number  string        // the phone in its normal form, 11 digits
	Proven  store.Instant // when the code was right
}

// Phone returns the phone that was proven, "" for nobody.
func (a Applicant) Phone() string { return a.Number }

// ApplicantTicket is a sealed Applicant.
type ApplicantTicket struct {
	CompanyID int64  `json:"c"`
	Phone     string `json:"p"`
	Proven    int64  `json:"f"` // Unix ms: when the code was right
	Until     int64  `json:"u"` // Unix ms
}

// RefuseWithoutAccount replaces PhoneNotBound and NotInCompany by that of Applicants.Refuse, because the person may
// have applied. It returns any other refusal as it is.
func (s *Signin) RefuseWithoutAccount(
	ctx context.Context, person store.Person, place access.Place, refusal error,
) error {
	if !errors.Is(refusal, access.PhoneNotBound) && !errors.Is(refusal, access.NotInCompany) {
		return refusal
	}
	refused, err := s.accounts.Applicants.Refuse(ctx, person, place.CompanyID(), refusal)
	if err != nil {
		return err
	}
	return refused
}

// applicantByCode adds a ticket to the refusal of an applicant who signed in with a code, and makes the same code give
// the same answer again within RepeatWindow: the response may be lost. It returns any other refusal as it is.
func (s *Signin) applicantByCode(ctx context.Context, in CodeLoginInput, refusal error) error {
	refused := new(access.Refused)
	if !errors.As(refusal, &refused) || refused.Applied == nil {
		return refusal
	}
	if err := s.core.Replay.NoteDone(ctx, s.core.DB, s.applicantSignIn(in), ""); err != nil {
		return err
	}
	return s.withTicket(in, refused)
}

// applicantAgain returns the answer that applicantByCode gave to the same code before, or else the refusal as it is.
func (s *Signin) applicantAgain(ctx context.Context, in CodeLoginInput, refusal error) error {
	_, done, err := s.core.Replay.DoneByCode(ctx, core.ForLogin, in.Phone, s.applicantSignIn(in))
	if err != nil {
		return err
	}
	if !done {
		return refusal
	}
	person, _, err := s.core.Access.Person(ctx, in.Phone)
	if err != nil {
		return err
	}
	answer, err := s.accounts.Applicants.Refuse(ctx, person, in.Place.CompanyID(), refusal)
	if err != nil {
		return err
	}
	if refused := new(access.Refused); errors.As(answer, &refused) && refused.Applied != nil {
		return s.withTicket(in, refused)
	}
	return answer
}

// applicantSignIn identifies an applicant's sign-in with a code.
func (s *Signin) applicantSignIn(in CodeLoginInput) string {
	return s.core.Replay.OperationID(
		"applicant signs in", in.Flow, in.Phone, access.Decimal(in.Place.CompanyID()), in.Code,
	)
}

// withTicket adds the ticket of a phone that a code proved at the company's own host.
func (s *Signin) withTicket(in CodeLoginInput, refused *access.Refused) error {
	if in.Place.CompanyID() == 0 {
		return refused
	}
	who := Applicant{refused.Applied.Company.ID, in.Phone, store.At(s.core.Now())}
	ticket, err := s.accounts.Applicants.Seal(who, ApplicantLife)
	if err != nil {
		return err
	}
	refused.Applied.Ticket = ticket
	return refused
}
