package office

import (
	"context"

	"portico/portal/access"
	"portico/store"
)

// OpenCompanyInput opens a company for the operator. Language is zh, es or en. The administrator's account is offered
// to the holder of AdminPhone, who accepts it after signing in or with an invitation link; without a phone it gets a
// first password.
type OpenCompanyInput struct {
	Name, Language        string
	AdminPhone, AdminName string
}

// OpenedCompany is a new company with its administrator's account.
type OpenedCompany struct {
	OpenedAccount
	Link      string        // the invitation link of an administrator with a phone, "" for others
	LinkUntil store.Instant // when Link expires
}

// OpenCompany opens a company on trial, as registering does, and its administrator's account, in one transaction. The
// company's name is confirmed for messages. It refuses malformed fields, PhoneBoundElsewhere, and OfferDeclined under
// "phone". It works where people cannot register companies themselves.
func (b *Backoffice) OpenCompany(ctx context.Context, in OpenCompanyInput) (OpenedCompany, error) {
	if err := in.validate(); err != nil {
		return OpenedCompany{}, err
	}
	now := b.core.Now()
	company := store.Company{
		Name: in.Name, ConfirmedName: in.Name, Language: in.Language, Standing: store.Trial,
		EndsAt: store.At(now.Add(access.TrialLife)), Mall: store.MallOpen,
		CreatedAt: store.At(now), UpdatedAt: store.At(now),
	}
	admin := store.Account{
		Side: store.Mgr, Type: store.TypeAdministrator, Name: in.AdminName, Invited: in.AdminPhone != "",
	}
	var opened OpenedCompany
	var hash string
	if in.AdminPhone == "" {
		var err error
		m := store.Member{Account: admin, Company: company}
		if opened.First, hash, err = b.credentials.FirstPasswordFor(ctx, m, ""); err != nil {
			return OpenedCompany{}, err
		}
	}
	err := b.core.DB.Tx(ctx, func(tx *store.DB) error {
		c, a := company, admin
		var err error
		if c.ID, err = tx.Companies.Add(ctx, c); err != nil {
			return err
		}
		if err := tx.Companies.Update(ctx, c); err != nil { // Add leaves the confirmed name out
			return err
		}
		a.CompanyID = c.ID
		by := store.Member{Account: store.Account{CompanyID: c.ID}, Company: c}
		if in.AdminPhone != "" {
			if a.PersonID, err = b.invitee(ctx, tx, by, a.Side, in.AdminPhone); err != nil {
				return err
			}
		}
		if err := b.core.Access.Event(ctx, tx, "company_opened", by, "operator"); err != nil {
			return err
		}
		id, err := b.addAccountOf(ctx, tx, by, a, hash, opened.First.Until)
		if err != nil {
			return err
		}
		opened.Member, err = tx.Accounts.ByID(ctx, c.ID, id)
		return err
	})
	if err != nil {
		return OpenedCompany{}, err
	}
	opened.First.Member = opened.Member
	if in.AdminPhone != "" {
		opened.Link, opened.LinkUntil, err = b.invitationLink(ctx, opened.Member)
	}
	return opened, err
}

func (in *OpenCompanyInput) validate() error {
	fields := access.Fields{}
	name, ok := access.NormalText(in.Name, access.MaxCompanyName)
	switch {
	case !ok:
		fields["company_name"] = access.CompanyMalformed
	case name == "":
		fields["company_name"] = access.CompanyRequired
	}
	in.Name = name
	access.NameField(fields, &in.AdminName)
	if in.AdminPhone != "" {
		number, ok := access.NormalPhone(in.AdminPhone)
		if !ok {
			fields["phone"] = access.PhoneMalformed
		}
		in.AdminPhone = number
	}
	if in.Language != "zh" && in.Language != "es" && in.Language != "en" {
		return &access.Refused{Refusal: access.WrongParameters}
	}
	return access.Invalid(fields)
}
