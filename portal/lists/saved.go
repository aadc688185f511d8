package lists

import (
	"context"
	"encoding/json"
	"slices"

	"portico/portal/access"
	"portico/store"
	"portico/store/lists"
)

const (
	// MostFilters is how many filters of one list an account can save.
	MostFilters = 12
	// MaxFilterName is the longest name of a filter, in characters.
	MaxFilterName = 30
)

// FiltersFull says that an account has saved MostFilters filters of the list.
const FiltersFull access.Problem = "filters_full"

// SavedFilter is a filter that an account has saved under a name.
type SavedFilter struct {
	Name   string
	Filter Filter
}

// SavedFilters returns the filters of a list that the account has saved, by name. It refuses with Forbidden an account
// that may not see the list.
func (l *Lists) SavedFilters(ctx context.Context, here access.Landing, list Name) (all []SavedFilter, err error) {
	rules := listRules[list]
	if err := access.RequireRight(here, rules.right); err != nil {
		return nil, err
	}
	rows, err := lists.SavedFilters(ctx, l.core.DB, here.Member.CompanyID, here.Member.ID, string(list))
	for _, row := range rows {
		var in Input
		if err := json.Unmarshal([]byte(row.Filter), &in); err != nil {
			return nil, err
		}
		all = append(all, SavedFilter{row.Name, rules.filter(in)})
	}
	return all, err
}

// SaveFilter saves a filter under a name for the account; the same name again replaces it. It refuses as SavedFilters
// does, and under "name" FieldRequired, TextMalformed, and FiltersFull.
func (l *Lists) SaveFilter(ctx context.Context, here access.Landing, list Name, name string, in Input) error {
	rules := listRules[list]
	if err := access.RequireRight(here, rules.right); err != nil {
		return err
	}
	name, ok := access.NormalText(name, MaxFilterName)
	switch {
	case !ok:
		return access.Invalid(access.Fields{"name": access.TextMalformed})
	case name == "":
		return access.Invalid(access.Fields{"name": access.FieldRequired})
	}
	content, err := json.Marshal(rules.filter(in).input())
	if err != nil {
		return err
	}
	return l.core.DB.Tx(ctx, func(tx *store.DB) error {
		by, err := l.core.Access.LockActor(ctx, tx, here, rules.right)
		if err != nil {
			return err
		}
		saved, err := lists.SavedFilters(ctx, tx, by.CompanyID, by.ID, string(list))
		if err != nil {
			return err
		}
		isThere := slices.ContainsFunc(saved, func(f lists.SavedFilter) bool { return f.Name == name })
		if len(saved) >= MostFilters && !isThere {
			return access.Invalid(access.Fields{"name": FiltersFull})
		}
		return lists.SaveFilter(ctx, tx, lists.SavedFilter{
			AccountID: by.ID, CompanyID: by.CompanyID, List: string(list), Name: name, Filter: string(content),
			At: store.At(l.core.Now()),
		})
	})
}

// RemoveFilter removes a filter that the account has saved. It refuses as SavedFilters does.
func (l *Lists) RemoveFilter(ctx context.Context, here access.Landing, list Name, name string) error {
	if err := access.RequireRight(here, listRules[list].right); err != nil {
		return err
	}
	return lists.RemoveFilter(ctx, l.core.DB, here.Member.CompanyID, here.Member.ID, string(list), name)
}
