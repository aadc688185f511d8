package signin

import (
	"context"

	"portico/portal/access"
	"portico/store"
)

// maxPushID is the longest push id, in bytes.
const maxPushID = 64

// PushInput binds the device of a token to one of its accounts.
type PushInput struct {
	UserID int64  `json:"user_id_"`
	PushID string `json:"jpush_id_"`
}

// BindPush stores the push id of the device of a token, until the token ends. It refuses with NotFound an account of
// another person.
func (cl *Chatlogin) BindPush(ctx context.Context, s access.Session, in PushInput) error {
	fields := access.Fields{}
	if in.UserID == 0 {
		fields["user_id"] = access.ChoiceRequired
	}
	if !goodPushID(in.PushID) {
		fields["jpush_id"] = access.PushIDMalformed
	}
	if err := access.Invalid(fields); err != nil {
		return err
	}
	m, err := cl.accounts.OwnMember(ctx, s, in.UserID)
	if err != nil {
		return err
	}
	return cl.core.DB.Tx(
		ctx, func(tx *store.DB) error {
			return tx.Devices.BindPush(ctx, s.ID, m.ID, in.PushID, store.At(cl.core.Now()))
		},
	)
}

func goodPushID(id string) bool {
	if id == "" || len(id) > maxPushID {
		return false
	}
	for _, r := range id {
		if (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && r != '-' && r != '_' {
			return false
		}
	}
	return true
}
