package application

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/signin"
	"portico/store"
)

const (
	// ApplicantStay is how long the applicant may take to fill in the form, in the browser that proved the phone.
	ApplicantStay = 2 * time.Hour
	// DraftKept is how long a draft is kept after its last change.
	DraftKept = 7 * access.Day
	// draftField is the longest field in a draft, in bytes.
	draftField = 8 * MaxReason
)

// ProveApplicantInput proves with a verification code the phone of a person who applies to a company.
type ProveApplicantInput struct {
	Phone     string `form:"phone" json:"phone_"`
	Code      string `form:"code" json:"code_"`
	CompanyID int64  `json:"company_id_"`

	Flow          string
	ApplicationID int64 // the application that the applicant wants to read, 0 for none
}

// ProveApplicant checks the code and returns the applicant with a ticket, which proves the phone in this company for
// ApplicantLife. The same code within RepeatWindow returns another ticket that expires with the first one. It refuses
// with CodeWrong, CodeExpired and TooManyAttempts, and with PhoneNotApplicant under "phone" a phone that did not send
// the application ApplicationID.
func (ap *Application) ProveApplicant(
	ctx context.Context, in ProveApplicantInput,
) (ticket string, who signin.Applicant, err error) {
	fields := core.CodeFields(&in.Phone, &in.Code)
	if in.CompanyID == 0 {
		fields["company_id"] = access.ChoiceRequired
	}
	if err := access.Invalid(fields); err != nil {
		return "", signin.Applicant{}, err
	}
	id := ap.core.Replay.OperationID("prove applicant", in.Flow, in.Phone, access.Decimal(in.CompanyID), in.Code)
	defer ap.core.Replay.Proofs.Hold(id)() // a repetition waits for the first request
	proven, err := ap.proveApplicant(ctx, in, id)
	if errors.Is(err, access.CodeExpired) {
		note, done, lookErr := ap.core.Replay.DoneByCode(ctx, core.ForApplication, in.Phone, id)
		if done || lookErr != nil {
			proven, err = note.At, lookErr
		}
	}
	if err != nil {
		return "", signin.Applicant{}, err
	}
	if err := ap.requireSender(ctx, in); err != nil {
		return "", signin.Applicant{}, err
	}
	who = signin.Applicant{Company: in.CompanyID, Number: in.Phone, Proven: proven}
	ticket, err = ap.accounts.Applicants.Seal(who, signin.ApplicantLife)
	return ticket, who, err
}

// requireSender refuses with PhoneNotApplicant under "phone" a phone that did not send the application ApplicationID,
// and with NotFound an unknown application.
func (ap *Application) requireSender(ctx context.Context, in ProveApplicantInput) error {
	if in.ApplicationID == 0 {
		return nil
	}
	a, err := ap.core.DB.Applications.OfCompany(ctx, in.CompanyID, in.ApplicationID)
	if errors.Is(err, store.ErrNotFound) {
		return access.NotFound
	}
	if err != nil {
		return err
	}
	if a.Phone != in.Phone {
		return access.Invalid(access.Fields{"phone": access.PhoneNotApplicant})
	}
	return nil
}

// proveApplicant uses a code that was not used before and returns the time of the proof.
func (ap *Application) proveApplicant(ctx context.Context, in ProveApplicantInput, id string) (store.Instant, error) {
	proof, err := ap.core.Verification.ProveCode(ctx, core.TypedCode{
		Phone: in.Phone, Purpose: core.ForApplication, CompanyID: in.CompanyID, Flow: in.Flow,
		Target: core.TargetPhone, Code: in.Code,
	})
	if err != nil {
		return 0, err
	}
	now := store.At(ap.core.Now())
	return now, ap.core.DB.Tx(ctx, func(tx *store.DB) error {
		if err := ap.core.Verification.Spend(ctx, tx, proof); err != nil {
			return err
		}
		return tx.Repeats.Add(ctx, store.Repeat{ID: id, At: now})
	})
}

// RenewApplicant opens a ticket and makes another one for the browser in which the phone was proved. The new ticket is
// valid for ApplicantStay after the proof, because filling in the form takes time. It refuses as Applicant does.
func (ap *Application) RenewApplicant(ticket string, companyID int64) (fresh string, who signin.Applicant, err error) {
	who, err = ap.Applicant(ticket, companyID)
	if err != nil {
		return "", signin.Applicant{}, err
	}
	fresh, err = ap.accounts.Applicants.Seal(who, ApplicantStay)
	return fresh, who, err
}

// Applicant opens a ticket. It refuses with CodeExpired one that is malformed, expired or another company's.
func (ap *Application) Applicant(ticket string, companyID int64) (signin.Applicant, error) {
	return ap.accounts.Applicants.Open(ticket, companyID)
}

// KeepDraft stores an application as it was typed, with its picture, until the application is sent or DraftKept has
// passed. It returns what it stored. It refuses with CodeExpired an applicant without a proven phone. It refuses a bad
// picture as UploadLicence does, and still stores the text.
func (ap *Application) KeepDraft(ctx context.Context, in ApplicationInput) (kept ApplicationInput, err error) {
	if !in.isProven() {
		return in, &access.Refused{Refusal: access.CodeExpired}
	}
	in, refused := ap.licences.attachLicence(ctx, in)
	if refused != nil && !access.IsRefused(refused) {
		return in, refused
	}
	if err := ap.keepDraft(ctx, in); err != nil {
		return in, err
	}
	return in, refused
}

func (ap *Application) keepDraft(ctx context.Context, in ApplicationInput) error {
	content, err := json.Marshal(in.limited())
	if err != nil {
		return fmt.Errorf("keep draft: %w", err)
	}
	return ap.core.DB.Drafts.Keep(ctx, store.Draft{
		CompanyID: in.CompanyID, Subject: ap.core.Sealing.CodeSubject(in.Applicant.Number), Content: string(content),
		UpdatedAt: store.At(ap.core.Now()),
	})
}

// ApplicationDraft returns the applicant's draft, or else the last application, to be edited and sent again. It refuses
// with CodeExpired an applicant without a proven phone.
func (ap *Application) ApplicationDraft(ctx context.Context, s ApplicationStatus) (ApplicationInput, error) {
	who := s.Applicant
	if who.Number == "" {
		return ApplicationInput{}, &access.Refused{Refusal: access.CodeExpired}
	}
	in := ApplicationInput{CompanyID: who.Company, Applicant: who}
	draft, err := ap.core.DB.Drafts.Of(ctx, who.Company, ap.core.Sealing.CodeSubject(who.Number))
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return in, err
	}
	isOld := draft.UpdatedAt <= store.At(ap.core.Now().Add(-DraftKept))
	if err == nil && !isOld && json.Unmarshal([]byte(draft.Content), &in) == nil {
		in.CompanyID = who.Company
		return in, nil
	}
	a := s.newest
	return ApplicationInput{
		CompanyID: who.Company, Applicant: who, CompanyName: a.CompanyName, ContactName: a.ContactName,
		Position: a.Position, Province: a.Province, City: a.City, District: a.District, Address: a.Address,
		Reason: a.Reason, ContactPhone: a.ContactPhone, LicenceKey: a.LicenceKey,
	}, nil
}

// limited cuts fields that are longer than draftField, so that a draft stays small.
func (in ApplicationInput) limited() ApplicationInput {
	for _, field := range []*string{
		&in.CompanyName, &in.ContactName, &in.Position, &in.Province, &in.City, &in.District, &in.Address, &in.Reason,
		&in.ContactPhone, &in.LicenceKey,
	} {
		*field = strings.ToValidUTF8(access.Truncated(*field, draftField), "")
	}
	return in
}
