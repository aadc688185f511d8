package application

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"math/big"
	"slices"
	"strings"

	"portico/portal/access"
	"portico/portal/regions"
	"portico/portal/signin"
	"portico/store"
)

const (
	// MaxAddress is the longest address of an applicant, in characters.
	MaxAddress = 200
	// MaxReason is the longest text with which an applicant says why, in characters.
	MaxReason = 500
	// MaxRejectReason is the longest reason of a rejection, in characters.
	MaxRejectReason = 200
	// ApplicationsADay is how often one phone may apply to one company in a day.
	ApplicationsADay = 5
)

// ApplicationFields are the fields that a company may make required. The others are always required.
var ApplicationFields = []string{"position", "region", "address", "reason", "licence", "contact_phone"}

// ApplicationInput is an application as the applicant typed it. SendApplication and KeepDraft check it.
type ApplicationInput struct {
	CompanyID    int64  `json:"company_id_"`
	CompanyName  string `form:"company_name" json:"company_name_"`
	ContactName  string `form:"contact_name" json:"contact_name_"`
	Position     string `form:"position" json:"position_"`
	Province     string `form:"province" json:"province_"`
	City         string `form:"city" json:"city_"`
	District     string `form:"district" json:"district_"`
	Address      string `form:"address" json:"address_"`
	Reason       string `form:"reason" json:"reason_"`
	ContactPhone string `form:"contact_phone" json:"contact_phone_"`
	LicenceKey   string `form:"licence_key" json:"licence_key_"` // of an upload

	Applicant signin.Applicant `json:"-"` // the zero value when no phone was proven
	Licence   io.ReadSeeker    `json:"-"` // the picture of the licence, nil when it did not come with the form
	Lang      string           `json:"-"`

	// KeepRefused keeps the application as a draft when it cannot be sent.
	KeepRefused bool `json:"-"`
}

// isProven reports whether the applicant has proved a phone for the company of the application.
func (in ApplicationInput) isProven() bool {
	return in.Applicant.Number != "" && in.Applicant.Company == in.CompanyID
}

// SentApplication is the result of sending an application. Typed is the input with the key of the picture that came
// with it, also when the application was refused.
type SentApplication struct {
	store.Application
	Typed ApplicationInput
}

// SendApplication submits an application, with the picture that came with it. It is approved at once when the company
// requires no review. The same content with the same proof within RepeatWindow returns the first application, unless
// that was rejected since. It refuses a bad picture as UploadLicence does; with ApplicationsClosed or the reason why
// the company is blocked; with CodeExpired without a proven phone; malformed fields; with ApplicationExists while
// another one is pending; with PhoneRegistered a member; and with TooManyAttempts after ApplicationsADay.
func (ap *Application) SendApplication(ctx context.Context, in ApplicationInput) (sent SentApplication, err error) {
	if in.isProven() {
		in, err = ap.licences.attachLicence(ctx, in)
	}
	sent.Typed = in
	if err == nil {
		sent.Application, err = ap.sendApplication(ctx, in)
	}
	if err == nil || !in.KeepRefused || !in.isProven() {
		return sent, err
	}
	if failed := ap.keepDraft(store.AfterRequest(ctx), in); failed != nil {
		return sent, failed
	}
	return sent, err
}

// sendApplication submits an application. Its picture, if it has one, is already stored.
func (ap *Application) sendApplication(ctx context.Context, in ApplicationInput) (store.Application, error) {
	setting, err := ap.ApplicationSetting(ctx, in.CompanyID)
	if err != nil {
		return store.Application{}, err
	}
	if err := ap.requireOpen(setting); err != nil {
		return store.Application{}, err
	}
	if !in.isProven() {
		return store.Application{}, &access.Refused{Refusal: access.CodeExpired}
	}
	a, err := in.application(setting)
	if err != nil {
		return store.Application{}, err
	}
	id := ap.applicationID(in.Applicant, a)
	defer ap.core.Replay.Proofs.Hold(id)() // a repetition waits for the first request
	if before, done, err := ap.applicationBefore(ctx, id, a.CompanyID); done || err != nil {
		return before, err
	}
	a.Phone = in.Applicant.Number
	a.ID = newApplicationID()
	a.CreatedAt = store.At(ap.core.Now())
	if in.LicenceKey != "" && in.Licence == nil { // the file was uploaded before the form was sent
		if err := ap.licences.takeLicence(ctx, in.LicenceKey, a.CompanyID, a.Phone); err != nil {
			return store.Application{}, err
		}
	}
	var sent store.Application
	err = ap.core.DB.Tx(ctx, func(tx *store.DB) (err error) {
		if sent, err = ap.addApplication(ctx, tx, a); err != nil {
			return err
		}
		return ap.core.Replay.NoteDone(ctx, tx, id, access.Decimal(sent.ID))
	})
	if access.IsRefused(err) { // another instance of the program may have handled the first request
		if before, done, lookErr := ap.applicationBefore(ctx, id, a.CompanyID); done || lookErr != nil {
			return before, lookErr
		}
	}
	if err != nil {
		return store.Application{}, err
	}
	if sent.State == store.ApplicationApproved {
		ap.notifyApplicant(ctx, sent, setting.Company)
	} else {
		ap.notifyReviewers(ctx, sent.CompanyID)
	}
	return sent, nil
}

// SameAs reports whether the input has the same content as a submitted application.
func (in ApplicationInput) SameAs(a store.Application) bool {
	typed, err := in.application(ApplicationSetting{}) // without the fields that the company requires today
	return err == nil && contentOfApplication(typed) == contentOfApplication(a)
}

// contentOfApplication returns an application with only the fields that the applicant filled in, and its company.
func contentOfApplication(a store.Application) store.Application {
	return store.Application{
		CompanyID: a.CompanyID, CompanyName: a.CompanyName, ContactName: a.ContactName, Position: a.Position,
		Province: a.Province, City: a.City, District: a.District, Address: a.Address, Reason: a.Reason,
		LicenceKey: a.LicenceKey, ContactPhone: a.ContactPhone,
	}
}

// applicationID identifies an application by its content and the applicant's proof, for NoteDone.
func (ap *Application) applicationID(who signin.Applicant, a store.Application) string {
	return ap.core.Replay.OperationID(
		"apply", access.Decimal(who.Company), who.Number, access.Decimal(int64(who.Proven)), a.CompanyName,
		a.ContactName, a.Position, a.Province, a.City, a.District, a.Address, a.Reason, a.ContactPhone,
		a.LicenceKey,
	)
}

// applicationBefore reads the application that was submitted with the same proof and content within RepeatWindow. A
// rejected one does not count, so that its applicant can apply again.
func (ap *Application) applicationBefore(
	ctx context.Context, id string, companyID int64,
) (a store.Application, done bool, err error) {
	note, done, err := ap.core.Replay.DoneBefore(ctx, id)
	if !done || err != nil {
		return a, false, err
	}
	number, _ := access.DecimalID(note.Result)
	a, err = ap.core.DB.Applications.OfCompany(ctx, companyID, number)
	if errors.Is(err, store.ErrNotFound) || err == nil && a.State == store.ApplicationRejected {
		return store.Application{}, false, nil
	}
	if err != nil {
		return a, false, err
	}
	// the browser may have saved a draft after it sent the form
	err = ap.core.DB.Drafts.Drop(ctx, companyID, ap.core.Sealing.CodeSubject(a.Phone))
	return a, err == nil, err
}

// addApplication stores the application, and approves it when the company requires no review.
func (ap *Application) addApplication(
	ctx context.Context, tx *store.DB, a store.Application,
) (store.Application, error) {
	if err := tx.Companies.Lock(ctx, a.CompanyID); err != nil {
		return a, err
	}
	c, err := tx.Companies.ByID(ctx, a.CompanyID)
	if err != nil {
		return a, err
	}
	// the company may have been disabled since the setting was read
	if reason := access.BlockedBy(store.Member{Company: c}, false, ap.core.Now()); reason != "" {
		return a, &access.Refused{Refusal: reason, Company: &c, Contacts: ap.core.Access.ContactsFor(reason, c)}
	}
	if !c.ApplicationsOpen { // the company may have closed applications since the setting was read
		return a, &access.Refused{
			Refusal: access.ApplicationsClosed, Contacts: ap.core.Access.ContactsFor(access.ApplicationsClosed, c),
		}
	}
	if err := ap.refuseCustomer(ctx, tx, a.Phone, a.CompanyID); err != nil {
		return a, err
	}
	added, err := tx.Applications.Add(ctx, a)
	if err != nil {
		return a, err
	}
	if !added {
		return a, &access.Refused{Refusal: access.ApplicationExists}
	}
	counter := "applications:" + access.Decimal(a.CompanyID) + ":" + ap.core.Sealing.CodeSubject(a.Phone)
	if err := ap.core.Limits.CountUpTo(ctx, tx, counter, ApplicationsADay, access.Day); err != nil {
		return a, err
	}
	if a.LicenceKey != "" {
		if err := ap.licences.useUpload(ctx, tx, a.LicenceKey, a.CompanyID); err != nil {
			return a, err
		}
	}
	if err := tx.Drafts.Drop(ctx, a.CompanyID, ap.core.Sealing.CodeSubject(a.Phone)); err != nil {
		return a, err
	}
	company := store.Member{Account: store.Account{CompanyID: a.CompanyID}}
	if err := ap.core.Access.Event(ctx, tx, "application_sent", company, access.Decimal(a.ID)); err != nil {
		return a, err
	}
	if c.ApplicationsReviewed {
		return a, nil
	}
	return ap.approve(ctx, tx, a, 0)
}

// refuseCustomer refuses with PhoneRegistered a phone that has a customer's account in the company, or is offered one.
func (ap *Application) refuseCustomer(ctx context.Context, tx *store.DB, number string, companyID int64) error {
	person, err := tx.Persons.ByNumber(ctx, number)
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	members, err := tx.Accounts.ByPerson(ctx, person.ID)
	if err != nil {
		return err
	}
	offers, err := tx.Offers.InCompany(ctx, companyID, person.ID)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(append(ap.core.Access.InPlace(members, companyID), offers...), isCustomer) {
		return &access.Refused{Refusal: access.PhoneRegistered}
	}
	return nil
}

func isCustomer(m store.Member) bool { return m.Side == store.Shop }

// requireOpen refuses with ApplicationsClosed when a company accepts no applications, or with the reason why the
// company is blocked.
func (ap *Application) requireOpen(s ApplicationSetting) error {
	if reason := access.BlockedBy(store.Member{Company: s.Company}, false, ap.core.Now()); reason != "" {
		return &access.Refused{
			Refusal: reason, Company: &s.Company, Contacts: ap.core.Access.ContactsFor(reason, s.Company),
		}
	}
	if !s.Open {
		return &access.Refused{Refusal: access.ApplicationsClosed, Company: &s.Company, Contacts: s.Contacts}
	}
	return nil
}

// newApplicationID makes an id with 52 random bits, which programs with floating-point numbers can represent.
func newApplicationID() int64 {
	n, err := rand.Int(rand.Reader, big.NewInt(1<<52))
	if err != nil {
		panic(err) // crypto/rand never fails
	}
	return 1<<52 | n.Int64()
}

// application validates and normalises the fields.
func (in *ApplicationInput) application(s ApplicationSetting) (store.Application, error) {
	fields := access.Fields{}
	required := s.Requires
	line := func(name, typed string, longest int, must bool, missing, malformed access.Problem) string {
		text, ok := access.NormalText(typed, longest)
		switch {
		case !ok:
			fields[name] = malformed
		case text == "" && must:
			fields[name] = missing
		}
		return text
	}
	a := store.Application{CompanyID: in.CompanyID, State: store.ApplicationPending, Lang: in.Lang}
	a.CompanyName = line(
		"company_name", in.CompanyName, access.MaxCompanyName, true, access.CompanyRequired, access.CompanyMalformed,
	)
	a.ContactName = line(
		"contact_name", in.ContactName, access.MaxName, true, access.NameRequired, access.NameMalformed,
	)
	a.LicenceKey = in.LicenceKey
	if in.LicenceKey == "" && required("licence") {
		fields["licence"] = access.FieldRequired
	}
	a.Position = line(
		"position", in.Position, access.MaxPosition, required("position"), access.FieldRequired, access.TextMalformed,
	)
	a.Address = line("address", in.Address, MaxAddress, required("address"), access.FieldRequired, access.TextMalformed)
	reason, ok := access.NormalLines(in.Reason, MaxReason)
	switch {
	case !ok:
		fields["reason"] = access.TextMalformed
	case reason == "" && required("reason"):
		fields["reason"] = access.FieldRequired
	}
	a.Reason = reason
	a.Province = in.Province
	a.City = in.City
	a.District = in.District
	isEmpty := in.Province+in.City+in.District == ""
	if isEmpty && required("region") || !isEmpty && !regions.ValidRegion(in.Province, in.City, in.District) {
		fields["province"] = access.RegionRequired
	}
	if strings.TrimSpace(in.ContactPhone) != "" || required("contact_phone") {
		for _, problem := range access.PhoneFields(&in.ContactPhone) {
			fields["contact_phone"] = problem
		}
		a.ContactPhone = in.ContactPhone
	}
	return a, access.Invalid(fields)
}
