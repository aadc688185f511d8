package credentials

import (
	"context"
	"io"
	"slices"

	"portico/portal/access"
	"portico/portal/core"
	"portico/store"
)

// ProfileChanged says that a profile was changed after its page was opened.
const ProfileChanged access.Problem = "profile_changed"

// Profile is what people say about themselves, for one of their accounts. Portrait is its address on this site, "" for
// none. WeChat offers the portrait that WeChat gave.
type Profile struct {
	Member   store.Member
	Portrait string
	WeChat   bool
	Takes    bool   // pictures can be sent in
	Seen     string // tag of name and position, see ProfileInput
}

// ProfileInput changes the profile of an account. Seen is the tag of the values that the page showed, from Profile; ""
// is not compared. Body is a new portrait, nil for none.
type ProfileInput struct {
	AccountID int64  `form:"account_id"`
	Name      string `form:"name"`
	Position  string `form:"position"`
	Seen      string `form:"seen"`

	Session access.Session
	Body    io.ReadSeeker
}

func profileTag(m store.Member) string { return core.SeenTag([]string{m.Name, m.DutyName}) }

// ProfileAccounts lists the person's accounts that can be entered here: each has a profile of its own.
func (p *Profiles) ProfileAccounts(ctx context.Context, s access.Session) ([]store.Member, error) {
	members, _, err := p.accounts.Members(ctx, s)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(p.core.Access.InPlace(members, s.CompanyID), func(m store.Member) bool {
		return access.BlockedBy(m, s.Lighting, p.core.Now()) != ""
	}), nil
}

// Profile reads the profile of one of the person's accounts. It refuses with NotFound an account of another person, and
// with its reason a blocked account.
func (p *Profiles) Profile(ctx context.Context, s access.Session, accountID int64) (Profile, error) {
	m, err := p.ownOpenMember(ctx, s, accountID)
	if err != nil {
		return Profile{}, err
	}
	head, err := p.weChatHead(ctx, s, m)
	return Profile{
		Member: m, Portrait: m.HeadImg, WeChat: head != "", Takes: p.pictures.Files != nil, Seen: profileTag(m),
	}, err
}

// ownOpenMember reads an account of the person of a session that is not blocked.
func (p *Profiles) ownOpenMember(ctx context.Context, s access.Session, accountID int64) (store.Member, error) {
	m, err := p.accounts.OwnMember(ctx, s, accountID)
	if err != nil {
		return store.Member{}, err
	}
	if reason := access.BlockedBy(m, s.Lighting, p.core.Now()); reason != "" {
		return store.Member{}, p.core.Access.Blocked(ctx, p.core.DB, m, reason)
	}
	return m, nil
}

// SaveProfile changes the name and job title of one of the person's accounts, and its portrait when one was sent. It
// refuses malformed fields, with ProfileChanged under "seen" when another person has changed the values since, and what
// Profile, countPortrait and storePortrait refuse. Saving the stored values again writes nothing.
func (p *Profiles) SaveProfile(ctx context.Context, in ProfileInput) error {
	m, err := p.ownOpenMember(ctx, in.Session, in.AccountID)
	if err != nil {
		return err
	}
	fields := access.Fields{}
	access.NameField(fields, &in.Name)
	fields.NormaliseText("position", &in.Position, access.MaxPosition)
	if err := access.Invalid(fields); err != nil {
		return err
	}
	var portrait store.Portrait
	if in.Body != nil {
		if err := p.countPortrait(ctx); err != nil {
			return err
		}
		if portrait, err = p.storePortrait(ctx, m, in.Body); err != nil {
			return err
		}
	}
	ended := ""
	err = p.changeProfile(ctx, in.Session, m, func(tx *store.DB, m store.Member) (err error) {
		ended = ""
		if in.Name != m.Name || in.Position != m.DutyName {
			if in.Seen != "" && in.Seen != profileTag(m) {
				return access.Invalid(access.Fields{"seen": ProfileChanged})
			}
			m.Name, m.DutyName = in.Name, in.Position
			if err := tx.Accounts.Edit(ctx, m.Account); err != nil {
				return err
			}
			if err := p.core.Access.Event(ctx, tx, "profile_changed", m, ""); err != nil {
				return err
			}
		}
		if portrait.ID != "" {
			ended, err = p.takePortrait(ctx, tx, m, portrait)
		}
		return err
	})
	if err == nil {
		p.removePortrait(ctx, m.CompanyID, ended)
	}
	return err
}

// RemovePortrait removes the portrait of one of the person's accounts, and its file. Without one it changes nothing. It
// refuses as Profile does.
func (p *Profiles) RemovePortrait(ctx context.Context, s access.Session, accountID int64) error {
	m, err := p.ownOpenMember(ctx, s, accountID)
	if err != nil {
		return err
	}
	ended := ""
	err = p.changeProfile(ctx, s, m, func(tx *store.DB, m store.Member) error {
		if ended = portraitID(m.HeadImg); m.HeadImg == "" {
			return nil
		}
		if err := tx.Portraits.SetOfAccount(ctx, m.CompanyID, m.ID, ""); err != nil {
			return err
		}
		if err := tx.Portraits.End(ctx, m.CompanyID, ended); err != nil {
			return err
		}
		return p.core.Access.Event(ctx, tx, "portrait_removed", m, "")
	})
	if err == nil {
		p.removePortrait(ctx, m.CompanyID, ended)
	}
	return err
}

// UseWeChatPortrait makes the portrait that WeChat gave with the person's identity the portrait of an account: the
// picture is fetched once, and kept as one that was sent in. It refuses with WrongParameters when there is none, with
// NotAvailable when it cannot be fetched, and what SaveProfile refuses.
func (p *Profiles) UseWeChatPortrait(ctx context.Context, s access.Session, accountID int64) error {
	m, err := p.ownOpenMember(ctx, s, accountID)
	if err != nil {
		return err
	}
	head, err := p.weChatHead(ctx, s, m)
	if err != nil {
		return err
	}
	if head == "" {
		return &access.Refused{Refusal: access.WrongParameters}
	}
	if err := p.countPortrait(ctx); err != nil { // before WeChat is asked
		return err
	}
	body, err := p.fetchHead(ctx, head)
	if err != nil {
		return err
	}
	portrait, err := p.storePortrait(ctx, m, body)
	if err != nil {
		return err
	}
	ended := ""
	err = p.changeProfile(ctx, s, m, func(tx *store.DB, m store.Member) (err error) {
		ended, err = p.takePortrait(ctx, tx, m, portrait)
		return err
	})
	if err == nil {
		p.removePortrait(ctx, m.CompanyID, ended)
	}
	return err
}

// changeProfile changes something of an account in a transaction that holds the account's company, so that one change
// comes after the other. NotFound when the account is no longer the person's.
func (p *Profiles) changeProfile(
	ctx context.Context, s access.Session, m store.Member, change func(tx *store.DB, m store.Member) error,
) error {
	return p.core.DB.Tx(ctx, func(tx *store.DB) error {
		if err := tx.Companies.Lock(ctx, m.CompanyID); err != nil {
			return err
		}
		now, err := tx.Accounts.ByID(ctx, m.CompanyID, m.ID)
		if err != nil {
			return err
		}
		if s.PersonID != 0 && now.PersonID != s.PersonID {
			return access.NotFound
		}
		return change(tx, now)
	})
}
