package portal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"time"

	"portico/store"
)

// Limits of forms that are kept because their session had ended or somebody else was signed in.
const (
	// FormKept is how long such a form can be opened again.
	FormKept = 24 * time.Hour
	// FormsKept is how many forms are kept for one account or person; older ones make room.
	FormsKept = 10
)

// secretFields are kept empty: their page has to show them, but nobody's password or code is stored.
var secretFields = []string{"password", "old_password", "confirm_password", "code"}

// momentFields are not kept at all: they belong to the one request that they came with.
var momentFields = []string{"token", "answer", "question", "proof", "lang", "width"}

// KeptForm is a form as it was sent, without its secrets and files. Fields are in the manner of a read form.
type KeptForm struct {
	Owner  FormOwner
	Path   string // on the site that the form belongs to
	Fields url.Values
}

// KeepForm keeps a form for its owner, to be shown again and sent by the owner. It returns an id, which opens the form to
// nobody else. The same form has the same id each time it is sent.
func (p *Portal) KeepForm(ctx context.Context, f KeptForm) (id string, err error) {
	fields := maps.Clone(f.Fields)
	maps.DeleteFunc(fields, func(name string, _ []string) bool { return slices.Contains(momentFields, name) })
	for name := range fields {
		if slices.Contains(secretFields, name) {
			fields[name] = []string{""}
		}
	}
	content, err := p.seal("kept form", fields)
	if err != nil {
		return "", err
	}
	named, err := json.Marshal(fields)
	if err != nil {
		return "", fmt.Errorf("keep form: %w", err)
	}
	o := f.Owner
	id = p.tag("kept form", fmt.Sprint(o.CompanyID, o.PhoneID, o.AccountID, f.Path)+"\x00"+string(named))
	return id, p.db.Tx(ctx, func(tx *store.DB) error {
		return tx.KeepForm(ctx, store.KeptForm{
			ID: id, CompanyID: o.CompanyID, PhoneID: o.PhoneID, AccountID: o.AccountID, Path: f.Path, Content: content, At: store.At(p.now()),
		}, FormsKept)
	})
}

// KeptForm reads a kept form; NotFound when there is none any more. The caller compares its owner with who asks.
func (p *Portal) KeptForm(ctx context.Context, id string) (KeptForm, error) {
	row, err := p.db.KeptFormByID(ctx, id, store.At(p.now().Add(-FormKept)))
	if errors.Is(err, store.ErrNotFound) {
		return KeptForm{}, NotFound
	}
	if err != nil {
		return KeptForm{}, err
	}
	f := KeptForm{Owner: FormOwner{CompanyID: row.CompanyID, PhoneID: row.PhoneID, AccountID: row.AccountID}, Path: row.Path}
	if p.unseal("kept form", row.Content, &f.Fields) != nil { // sealed with a key that is no longer in use
		return KeptForm{}, NotFound
	}
	return f, nil
}
