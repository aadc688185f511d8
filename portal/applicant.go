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
	// ApplicantLife is how long a proven phone may be used to apply (contract section 4: checkCode).
	ApplicantLife = 15 * time.Minute
	// ApplicantStay is how long somebody may take to fill the application in, in the browser that proved the phone.
	ApplicantStay = 2 * time.Hour
	// DraftKept is how long what was typed and not sent in is kept.
	DraftKept = 7 * day

	draftField = 8 * MaxReason // bytes of one field in a draft
)

// applicant is a proven phone that applies to a company.
type applicant struct {
	CompanyID int64  `json:"c"`
	Phone     string `json:"p"`
	Proven    int64  `json:"f"` // Unix ms: when the code was right
	Until     int64  `json:"u"` // Unix ms
}

// ApplicantInput proves the phone of somebody who wants to join a company.
type ApplicantInput struct {
	Phone     string `form:"phone" json:"phone_"`
	Code      string `form:"code" json:"code_"`
	CompanyID int64  `json:"company_id_"`

	Flow string
}

// ProveApplicant checks the code and returns a ticket, which proves the phone in this company for ApplicantLife. The
// same code within RepeatWindow returns another ticket that expires with the first one. It refuses with CodeWrong,
// CodeExpired and TooManyAttempts.
func (p *Portal) ProveApplicant(ctx context.Context, in ApplicantInput) (ticket string, err error) {
	fields := codeFields(&in.Phone, &in.Code)
	if in.CompanyID == 0 {
		fields["company_id"] = ChoiceRequired
	}
	if err := invalid(fields); err != nil {
		return "", err
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
		return "", err
	}
	return p.seal("applicant", applicant{
		CompanyID: in.CompanyID, Phone: in.Phone,
		Proven: int64(proven), Until: proven.Time().Add(ApplicantLife).UnixMilli(),
	})
}

// proveApplicant uses a code that was not used before and returns the time of the proof.
func (p *Portal) proveApplicant(ctx context.Context, in ApplicantInput, id string) (store.Instant, error) {
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

// RenewApplicant gives a ticket for the browser in which the code was right: it lasts ApplicantStay from then, for whoever
// fills a form in slowly. CodeExpired as Applicant.
func (p *Portal) RenewApplicant(ticket string, companyID int64) (fresh, phone string, err error) {
	who, err := p.applicant(ticket, companyID)
	if err != nil {
		return "", "", err
	}
	who.Until = time.UnixMilli(who.Proven).Add(ApplicantStay).UnixMilli()
	fresh, err = p.seal("applicant", who)
	return fresh, who.Phone, err
}

// Applicant is the phone a ticket proves in a company; CodeExpired for one that is none, too old, or another company's.
func (p *Portal) Applicant(ticket string, companyID int64) (phone string, err error) {
	who, err := p.applicant(ticket, companyID)
	return who.Phone, err
}

func (p *Portal) applicant(ticket string, companyID int64) (who applicant, err error) {
	if p.unseal("applicant", ticket, &who) != nil || p.ended(who.Until) || who.CompanyID != companyID {
		return applicant{}, &Refused{Refusal: CodeExpired}
	}
	return who, nil
}

// KeepDraft keeps what an applicant has typed, as it is, until it is sent in or DraftKept has passed. CodeExpired without a
// good ticket.
func (p *Portal) KeepDraft(ctx context.Context, in ApplyInput) error {
	phone, err := p.Applicant(in.Ticket, in.CompanyID)
	if err != nil {
		return err
	}
	in.Ticket = ""
	content, err := json.Marshal(in.limited())
	if err != nil {
		return fmt.Errorf("keep draft: %w", err)
	}
	return p.db.KeepDraft(ctx, store.Draft{CompanyID: in.CompanyID, Subject: p.codeSubject(phone), Content: string(content), UpdatedAt: store.At(p.now())})
}

// Draft is what an applicant typed last, or else what the phone sent in last: to be edited and sent in again. CodeExpired
// without a good ticket.
func (p *Portal) Draft(ctx context.Context, ticket string, companyID int64) (ApplyInput, error) {
	phone, err := p.Applicant(ticket, companyID)
	if err != nil {
		return ApplyInput{}, err
	}
	in := ApplyInput{CompanyID: companyID}
	draft, err := p.db.DraftOf(ctx, companyID, p.codeSubject(phone))
	isOld := draft.UpdatedAt <= store.At(p.now().Add(-DraftKept))
	if err == nil && !isOld && json.Unmarshal([]byte(draft.Content), &in) == nil {
		in.CompanyID = companyID
		return in, nil
	}
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return in, err
	}
	a, err := p.db.LastApplication(ctx, companyID, phone)
	if errors.Is(err, store.ErrNotFound) {
		return in, nil
	}
	return ApplyInput{
		CompanyID: companyID, CompanyName: a.CompanyName, ContactName: a.ContactName, Position: a.Position, Province: a.Province, City: a.City, District: a.District,
		Address: a.Address, Reason: a.Reason, ContactPhone: a.ContactPhone, Licence: a.LicenceKey,
	}, err
}

// limited cuts what no field may hold, so that a draft stays small.
func (in ApplyInput) limited() ApplyInput {
	for _, field := range []*string{
		&in.CompanyName, &in.ContactName, &in.Position, &in.Province, &in.City, &in.District, &in.Address, &in.Reason, &in.ContactPhone, &in.Licence,
	} {
		*field = strings.ToValidUTF8(limited(*field, draftField), "")
	}
	return in
}
