package core

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"time"

	"portico/portal/access"
	"portico/store"
)

// Limits of forms that are kept because their session had ended or another person was signed in.
const (
	// FormKept is how long such a form can be opened again.
	FormKept = 24 * time.Hour
	// FormsKept is how many forms are kept for one account or person; the oldest ones are dropped first.
	FormsKept = 10
)

// secretFields are stored with an empty value: the page needs the field, but a password or code is never stored.
var secretFields = []string{"password", "old_password", "confirm_password", "code"}

// momentFields are not stored at all: they are valid for one request only.
var momentFields = []string{"token", "answer", "question", "proof", "lang", "width"}

// KeptForm is a form as it was sent, without its secrets and files.
type KeptForm struct {
	Owner  FormOwner
	Path   string // of the form's page, on the owner's site
	Fields url.Values
}

// KeepForm stores a form so that its owner can open it again and send it. It returns the form's id. The id alone opens
// nothing: callers of KeptForm compare the owner. The same form has the same id each time it is sent.
func (l *Limits) KeepForm(ctx context.Context, f KeptForm) (id string, err error) {
	fields := KeptFields(f.Fields)
	content, err := l.core.Sealing.Seal("kept form", fields)
	if err != nil {
		return "", err
	}
	named, err := json.Marshal(fields)
	if err != nil {
		return "", fmt.Errorf("keep form: %w", err)
	}
	o := f.Owner
	id = l.core.Sealing.Tag("kept form", fmt.Sprint(o.CompanyID, o.PersonID, o.AccountID, f.Path)+"\x00"+string(named))
	return id, l.core.DB.Tx(ctx, func(tx *store.DB) error {
		return tx.KeptForms.Keep(ctx, store.KeptForm{
			ID: id, CompanyID: o.CompanyID, PersonID: o.PersonID, AccountID: o.AccountID,
			Path: f.Path, Content: content, At: store.At(l.core.Now()),
		}, FormsKept)
	})
}

// KeptFields returns the fields of a form that may be stored: passwords and codes are empty, momentFields are missing.
func KeptFields(form url.Values) url.Values {
	fields := maps.Clone(form)
	maps.DeleteFunc(fields, func(name string, _ []string) bool { return slices.Contains(momentFields, name) })
	for name := range fields {
		if slices.Contains(secretFields, name) {
			fields[name] = []string{""}
		}
	}
	return fields
}

// KeptForm reads a kept form; NotFound when there is none or it has expired. The caller must compare its owner with the
// person who is signed in.
func (l *Limits) KeptForm(ctx context.Context, id string) (KeptForm, error) {
	row, err := l.core.DB.KeptForms.ByID(ctx, id, store.At(l.core.Now().Add(-FormKept)))
	if errors.Is(err, store.ErrNotFound) {
		return KeptForm{}, access.NotFound
	}
	if err != nil {
		return KeptForm{}, err
	}
	f := KeptForm{Path: row.Path}
	f.Owner = FormOwner{CompanyID: row.CompanyID, PersonID: row.PersonID, AccountID: row.AccountID}
	if l.core.Sealing.Unseal("kept form", row.Content, &f.Fields) != nil { // sealed with a key that is no longer in use
		return KeptForm{}, access.NotFound
	}
	return f, nil
}
