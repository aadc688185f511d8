package portal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"portico/store"
)

const (
	// ApplicantLife is how long the ticket of a proven phone is valid.
	ApplicantLife = 15 * time.Minute
	// ApplicantStay is how long the applicant may take to fill in the form, in the browser that proved the phone.
	ApplicantStay = 2 * time.Hour
	// DraftKept is how long a draft is kept that is not sent.
	DraftKept = 7 * day

	draftField = 8 * MaxReason // bytes of one field in a draft
)

// Applicant is a person who has proven a phone to a company, to send an application. Only a ticket makes one; the zero
// value is nobody.
type Applicant struct {
	companyID int64
	phone     string
	proven    store.Instant
}

// Phone is the phone that was proven, "" for nobody.
func (a Applicant) Phone() string { return a.phone }

// applicantTicket is a sealed Applicant.
type applicantTicket struct {
	CompanyID int64  `json:"c"`
	Phone     string `json:"p"`
	Proven    int64  `json:"f"` // Unix ms: when the code was right
	Until     int64  `json:"u"` // Unix ms
}

// sealApplicant makes the ticket of an applicant, which is valid for life after the proof.
func (p *Portal) sealApplicant(who Applicant, life time.Duration) (ticket string, err error) {
	return p.seal("applicant", applicantTicket{
		CompanyID: who.companyID, Phone: who.phone, Proven: int64(who.proven),
		Until: who.proven.Time().Add(life).UnixMilli(),
	})
}

// ProveApplicantInput proves the phone of somebody who wants to join a company.
type ProveApplicantInput struct {
	Phone     string `form:"phone" json:"phone_"`
	Code      string `form:"code" json:"code_"`
	CompanyID int64  `json:"company_id_"`

	Flow          string
	ApplicationID int64 // that the applicant wants to read, 0 for none
}

// ProveApplicant checks the code and returns the applicant with a ticket, which proves the phone in this company for
// ApplicantLife. The same code within RepeatWindow returns another ticket that expires with the first one. It refuses
// with CodeWrong, CodeExpired and TooManyAttempts, and with PhoneNotApplicant under "phone" a phone that did not send
// the application ApplicationID.
func (p *Portal) ProveApplicant(ctx context.Context, in ProveApplicantInput) (ticket string, who Applicant, err error) {
	fields := codeFields(&in.Phone, &in.Code)
	if in.CompanyID == 0 {
		fields["company_id"] = ChoiceRequired
	}
	if err := invalid(fields); err != nil {
		return "", Applicant{}, err
	}
	id := p.operationID("prove applicant", in.Flow, in.Phone, decimal(in.CompanyID), in.Code)
	defer p.proofs.hold(id)() // a repetition waits for the first request
	proven, err := p.proveApplicant(ctx, in, id)
	if errors.Is(err, CodeExpired) {
		if note, done, lookErr := p.doneByCode(ctx, ForApplication, in.Phone, id); done || lookErr != nil {
			proven, err = note.At, lookErr
		}
	}
	if err != nil {
		return "", Applicant{}, err
	}
	if err := p.sentBy(ctx, in); err != nil {
		return "", Applicant{}, err
	}
	who = Applicant{in.CompanyID, in.Phone, proven}
	ticket, err = p.sealApplicant(who, ApplicantLife)
	return ticket, who, err
}

// sentBy refuses a phone that did not send the application that its holder wants to read.
func (p *Portal) sentBy(ctx context.Context, in ProveApplicantInput) error {
	if in.ApplicationID == 0 {
		return nil
	}
	a, err := p.db.ApplicationOf(ctx, in.CompanyID, in.ApplicationID)
	if errors.Is(err, store.ErrNotFound) {
		return NotFound
	}
	if err != nil {
		return err
	}
	if a.Phone != in.Phone {
		return invalid(Fields{"phone": PhoneNotApplicant})
	}
	return nil
}

// proveApplicant uses a code that was not used before and returns the time of the proof.
func (p *Portal) proveApplicant(ctx context.Context, in ProveApplicantInput, id string) (store.Instant, error) {
	proof, err := p.proveCode(ctx, in.Phone, ForApplication, in.CompanyID, in.Flow, targetPhone, in.Code)
	if err != nil {
		return 0, err
	}
	now := store.At(p.now())
	return now, p.db.Tx(ctx, func(tx *store.DB) error {
		if err := p.spend(ctx, tx, proof); err != nil {
			return err
		}
		return tx.AddRepeat(ctx, store.Repeat{ID: id, At: now})
	})
}

// RenewApplicant opens a ticket and makes another one for the browser in which the phone was proven: that one is valid
// for ApplicantStay after the proof, so that people may fill the form in slowly. It refuses as Applicant does.
func (p *Portal) RenewApplicant(ticket string, companyID int64) (fresh string, who Applicant, err error) {
	who, err = p.Applicant(ticket, companyID)
	if err != nil {
		return "", Applicant{}, err
	}
	fresh, err = p.sealApplicant(who, ApplicantStay)
	return fresh, who, err
}

// Applicant opens a ticket. It refuses with CodeExpired one that is malformed, expired or another company's.
func (p *Portal) Applicant(ticket string, companyID int64) (Applicant, error) {
	var t applicantTicket
	if p.unseal("applicant", ticket, &t) != nil || p.ended(t.Until) || t.CompanyID != companyID {
		return Applicant{}, &Refused{Refusal: CodeExpired}
	}
	return Applicant{t.CompanyID, t.Phone, store.Instant(t.Proven)}, nil
}

// KeepDraft keeps an application as it was typed until it is sent or DraftKept has passed, with the picture that came
// with it. It returns what it kept. It refuses with CodeExpired without a proven phone, and a bad picture as
// UploadLicence does: then the text is kept.
func (p *Portal) KeepDraft(ctx context.Context, in ApplicationInput) (kept ApplicationInput, err error) {
	if !in.isProven() {
		return in, &Refused{Refusal: CodeExpired}
	}
	in, refused := p.attachLicence(ctx, in)
	if refused != nil && !isRefused(refused) {
		return in, refused
	}
	if err := p.keepDraft(ctx, in); err != nil {
		return in, err
	}
	return in, refused
}

func (p *Portal) keepDraft(ctx context.Context, in ApplicationInput) error {
	content, err := json.Marshal(in.limited())
	if err != nil {
		return fmt.Errorf("keep draft: %w", err)
	}
	return p.db.KeepDraft(ctx, store.Draft{
		CompanyID: in.CompanyID, Subject: p.codeSubject(in.Applicant.phone), Content: string(content),
		UpdatedAt: store.At(p.now()),
	})
}

// ApplicationDraft is what an applicant typed last, or else the last application, to be edited and sent again. It
// refuses with CodeExpired without a proven phone.
func (p *Portal) ApplicationDraft(ctx context.Context, s ApplicationStatus) (ApplicationInput, error) {
	who := s.Applicant
	if who.phone == "" {
		return ApplicationInput{}, &Refused{Refusal: CodeExpired}
	}
	in := ApplicationInput{CompanyID: who.companyID, Applicant: who}
	draft, err := p.db.DraftOf(ctx, who.companyID, p.codeSubject(who.phone))
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return in, err
	}
	isOld := draft.UpdatedAt <= store.At(p.now().Add(-DraftKept))
	if err == nil && !isOld && json.Unmarshal([]byte(draft.Content), &in) == nil {
		in.CompanyID = who.companyID
		return in, nil
	}
	a := s.newest
	return ApplicationInput{
		CompanyID: who.companyID, Applicant: who, CompanyName: a.CompanyName, ContactName: a.ContactName,
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
		*field = strings.ToValidUTF8(limited(*field, draftField), "")
	}
	return in
}
