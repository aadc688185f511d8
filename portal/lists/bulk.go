package lists

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"time"

	"portico/portal/access"
	"portico/portal/application"
	"portico/portal/core"
	"portico/store"
)

const (
	// MostChosen is how many rows one action can be done to.
	MostChosen = 200
	// RunTime is how long an action may take. Rows that it does not reach by then stay as they are.
	RunTime = 20 * time.Second
)

// TooManyChosen says that more than MostChosen rows are chosen.
const TooManyChosen access.Problem = "too_many_chosen"

// Action is what staff do to rows that they chose in a list.
type Action string

// The actions. Each is for the rows of one list.
const (
	Confirm Action = "confirm"
	Approve Action = "approve"
	Reject  Action = "reject"
	End     Action = "end"
	Resume  Action = "resume"
	Enable  Action = "enable"
	Disable Action = "disable"
	Invite  Action = "invite"
)

// actionRule says what an action does. undo is the action that takes it back, "" for none.
type actionRule struct {
	action Action
	list   Name
	right  access.Right
	undo   Action
	do     func(ctx context.Context, l *Lists, here access.Landing, id int64, reason string) (changed bool, err error)
}

// actionRules are the actions, in the order in which they are shown. Each does to a row what the row's own page does.
var actionRules = []actionRule{
	{Confirm, OrderList, access.RightOrders, "",
		func(ctx context.Context, l *Lists, here access.Landing, id int64, _ string) (bool, error) {
			return l.shop.ConfirmIfNew(ctx, here, id)
		}},
	{Approve, ApplicationList, access.RightReview, "",
		func(ctx context.Context, l *Lists, here access.Landing, id int64, _ string) (bool, error) {
			_, decided, err := l.application.Review(ctx, here, application.ReviewInput{ID: id, Approve: true})
			return decided, err
		}},
	{Reject, ApplicationList, access.RightReview, "",
		func(ctx context.Context, l *Lists, here access.Landing, id int64, reason string) (bool, error) {
			_, decided, err := l.application.Review(ctx, here, application.ReviewInput{ID: id, Reason: reason})
			return decided, err
		}},
	{End, CustomerList, access.RightManageCustomers, Resume,
		func(ctx context.Context, l *Lists, here access.Landing, id int64, _ string) (bool, error) {
			return l.office.EndIfPartner(ctx, here, id)
		}},
	{Resume, CustomerList, access.RightManageCustomers, End,
		func(ctx context.Context, l *Lists, here access.Landing, id int64, _ string) (bool, error) {
			return l.office.ResumeIfEnded(ctx, here, id)
		}},
	{Enable, PeopleList, access.RightManagePeople, Disable,
		func(ctx context.Context, l *Lists, here access.Landing, id int64, _ string) (bool, error) {
			return l.office.EnableIfBlocked(ctx, here, id)
		}},
	{Disable, PeopleList, access.RightManagePeople, Enable,
		func(ctx context.Context, l *Lists, here access.Landing, id int64, _ string) (bool, error) {
			return l.office.DisableIfEnabled(ctx, here, id)
		}},
	{Invite, PeopleList, access.RightManagePeople, "",
		func(ctx context.Context, l *Lists, here access.Landing, id int64, _ string) (bool, error) {
			err := l.office.InviteAgain(ctx, here, id)
			return err == nil, err // each time with a new link
		}},
}

// results are the states that actions lead to, each as the obstacle that it is for the same action afterwards. Invite
// has none: it can be repeated.
var results = map[Action]Obstacle{
	Confirm: Confirmed, Approve: Approved, Reject: Rejected, End: IsEnded, Resume: IsPartner, Enable: IsEnabled,
	Disable: IsDisabled,
}

// NeedsReason reports whether an action needs a reason, which the people concerned read.
func (a Action) NeedsReason() bool { return a == Reject }

// ActionsOf returns the actions that an account may do to the rows of a list.
func ActionsOf(m store.Member, list Name) (all []Action) {
	for _, rule := range actionRules {
		if rule.list == list && access.May(m, rule.right) {
			all = append(all, rule.action)
		}
	}
	return all
}

// BulkInput is an action on the rows with some ids. Form is the id of the form: the same form sent again does nothing
// and has the same result.
type BulkInput struct {
	List   Name
	Action Action
	IDs    []int64
	Reason string
	Form   string
}

// Bulk is what an action will do, or did, to the rows that were chosen. Each row is there once, in the order in which
// it was chosen. Undo is the action that takes it back, "" for none.
type Bulk struct {
	Action Action
	Undo   Action
	Rows   []ChosenRow
}

// Count returns how many rows are Done: the rows to which the action can be done, or was.
func (b Bulk) Count() (n int) {
	for _, row := range b.Rows {
		if row.Done {
			n++
		}
	}
	return n
}

// WasDoneBefore reports whether each row was already in the state that the action leads to. It is so for people who
// repeat an action because its answer was lost.
func (b Bulk) WasDoneBefore() bool {
	result := results[b.Action]
	return result != "" && len(b.Rows) > 0 && !slices.ContainsFunc(b.Rows, func(row ChosenRow) bool {
		return row.Done || row.Obstacle != result
	})
}

// ChosenRow is a row that was chosen. An order has its customer's name, and its Number. In a preview, Done says that
// the action can be done to the row; afterwards, that it was. Else the row says why not: there is an Obstacle, or the
// operation refused it with a Refusal or with a Problem of its form.
type ChosenRow struct {
	ID       int64
	Name     string
	Number   int64
	Done     bool
	Obstacle Obstacle       `json:",omitempty"`
	By       string         `json:",omitempty"` // who made the obstacle, "" for unknown
	Refusal  access.Refusal `json:",omitempty"`
	Wait     time.Duration  `json:",omitempty"` // until Refusal ends, 0 for one that does not end by itself
	Problem  access.Problem `json:",omitempty"`
	CanUndo  bool           `json:",omitempty"`
}

// Preview says what an action would do, and changes nothing. It refuses with Forbidden an account that may not see the
// list or do the action, with BadRequest an action that the list does not have, and under "id" no rows with
// ChoiceRequired and more than MostChosen with TooManyChosen. Rows of other companies are Missing.
func (l *Lists) Preview(ctx context.Context, here access.Landing, in BulkInput, lang string) (Bulk, error) {
	rule, ids, err := in.check(here)
	if err != nil {
		return Bulk{}, err
	}
	chosen, err := l.chosen(ctx, here, rule, ids, lang)
	b := Bulk{Action: rule.action, Undo: rule.undo}
	for _, c := range chosen {
		row := c.ChosenRow
		row.Obstacle = c.obstacles[rule.action]
		if row.Done = row.Obstacle == ""; row.Done {
			row.By = ""
		}
		b.Rows = append(b.Rows, row)
	}
	return b, err
}

// Run does an action to each row in a transaction of its own, as the page of the row does it, and keeps the result for
// Result. It refuses as Preview does, and a reason as application.Review does; nothing is done then. What one row
// refuses is part of the result. Form must not be "". The same form sent again does nothing more; with other rows it is
// refused with WrongParameters, and while the first one runs with NotAvailable.
func (l *Lists) Run(ctx context.Context, here access.Landing, in BulkInput, lang string) error {
	rule, ids, err := in.check(here)
	if err != nil {
		return err
	}
	if in.Form == "" {
		return access.BadRequest
	}
	if rule.action.NeedsReason() {
		if in.Reason, err = (application.ReviewInput{Reason: in.Reason}).NormalReason(); err != nil {
			return err
		}
	}
	content, err := json.Marshal(ids)
	if err != nil {
		return err
	}
	once := in.once(here)
	once.Content = append([]byte(rule.action), content...)
	_, err = l.core.Replay.Once(ctx, once, func() ([]byte, error) {
		b, err := l.run(ctx, here, rule, ids, in.Reason, lang)
		if err != nil {
			return nil, err
		}
		return json.Marshal(b)
	})
	return err
}

// Result returns what Run did for a form of the same account. It refuses as Preview does, and with NotFound a form that
// was not sent, is still running, or was sent more than core.KeyKept ago.
func (l *Lists) Result(ctx context.Context, here access.Landing, list Name, form string) (b Bulk, err error) {
	answer, err := l.core.Replay.StoredAnswer(ctx, BulkInput{List: list, Form: form}.once(here))
	if err == nil && answer == nil {
		err = access.NotFound
	}
	if err == nil {
		err = json.Unmarshal(answer, &b)
	}
	if err == nil {
		_, err = ruleOf(here, list, b.Action)
	}
	if err != nil {
		return Bulk{}, err
	}
	return b, nil
}

func (in BulkInput) once(here access.Landing) core.OnceInput {
	return core.OnceInput{
		Caller: "account " + access.Decimal(here.Member.ID), Path: "bulk " + string(in.List),
		Key: access.Truncated(in.Form, access.MaxTyped),
	}
}

// ruleOf returns the rule of an action that an account may do to the rows of a list.
func ruleOf(here access.Landing, list Name, action Action) (actionRule, error) {
	i := slices.IndexFunc(actionRules, func(r actionRule) bool { return r.action == action && r.list == list })
	if i < 0 {
		return actionRule{}, access.BadRequest
	}
	rule := actionRules[i]
	if err := access.RequireRight(here, listRules[list].right); err != nil {
		return rule, err
	}
	return rule, access.RequireRight(here, rule.right)
}

// check returns the rule of the action and each id once.
func (in BulkInput) check(here access.Landing) (rule actionRule, ids []int64, err error) {
	if rule, err = ruleOf(here, in.List, in.Action); err != nil {
		return rule, nil, err
	}
	for _, id := range in.IDs {
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
		if len(ids) > MostChosen {
			return rule, nil, access.Invalid(access.Fields{"id": TooManyChosen})
		}
	}
	if len(ids) == 0 {
		return rule, nil, access.Invalid(access.Fields{"id": access.ChoiceRequired})
	}
	return rule, ids, nil
}

// run does an action to rows, one after the other. It goes on when the browser has gone: a part of the rows that nobody
// knows of would be worse. When the database fails, the rest of the rows is Unreached.
func (l *Lists) run(
	ctx context.Context, here access.Landing, rule actionRule, ids []int64, reason, lang string,
) (Bulk, error) {
	before, err := l.chosen(ctx, here, rule, ids, lang)
	if err != nil {
		return Bulk{}, err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), RunTime)
	defer cancel()
	b := Bulk{Action: rule.action, Undo: rule.undo}
	var undone []int64 // whose state says why
	var broken error
	for _, c := range before {
		row := c.ChosenRow
		row.By = ""
		if broken == nil {
			store.RenewTime(ctx)
			row.Done, broken = l.runRow(ctx, here, rule, reason, &row)
		}
		switch {
		case row.Done:
			row.CanUndo = rule.undo != "" && !c.isOneWay
		case broken != nil:
			row.Obstacle = Unreached
		default:
			undone = append(undone, row.ID)
		}
		b.Rows = append(b.Rows, row)
	}
	if broken != nil {
		l.core.Log.LogAttrs(ctx, slog.LevelError, "bulk action broken off", slog.Any("error", broken),
			slog.String("action", string(rule.action)), slog.Int("done", b.Count()))
	}
	store.RenewTime(ctx)
	if err := l.explain(ctx, here, rule, &b, undone, lang); err != nil {
		l.core.Log.LogAttrs(ctx, slog.LevelError, "bulk action not explained", slog.Any("error", err))
	}
	return b, nil
}

// runRow does an action to one row and notes what refused it. err is a fault.
func (l *Lists) runRow(
	ctx context.Context, here access.Landing, rule actionRule, reason string, row *ChosenRow,
) (done bool, err error) {
	done, err = rule.do(ctx, l, here, row.ID, reason)
	if err == nil || !access.IsRefused(err) {
		return done, err
	}
	_ = errors.As(err, &row.Refusal)
	if refused, ok := errors.AsType[*access.Refused](err); ok {
		row.Wait = refused.Wait
		for _, problem := range refused.Fields {
			row.Problem = problem
		}
	}
	return false, nil
}

// explain says of rows to which an action was not done which state of theirs is the obstacle, and who brought them into
// it: a colleague may have been faster.
func (l *Lists) explain(
	ctx context.Context, here access.Landing, rule actionRule, b *Bulk, ids []int64, lang string,
) error {
	if len(ids) == 0 {
		return nil
	}
	now, err := l.chosen(ctx, here, rule, ids, lang)
	for _, c := range now {
		i := slices.IndexFunc(b.Rows, func(row ChosenRow) bool { return row.ID == c.ID })
		if obstacle := c.obstacles[rule.action]; obstacle != "" {
			b.Rows[i].Obstacle, b.Rows[i].By = obstacle, c.By
		}
	}
	return err
}

// chosen reads the rows of a list that have some ids, in the order of the ids, from the main database. An id that the
// company does not have is Missing.
func (l *Lists) chosen(
	ctx context.Context, here access.Landing, rule actionRule, ids []int64, lang string,
) ([]candidate, error) {
	found, err := listRules[rule.list].chosen(ctx, l.core.DB, here, ids, lang)
	if err != nil {
		return nil, err
	}
	var all []candidate
	var people []int64
	for _, id := range ids {
		i := slices.IndexFunc(found, func(c candidate) bool { return c.ID == id })
		if i < 0 {
			missing := candidate{ChosenRow: ChosenRow{ID: id, Name: access.Decimal(id)}}
			missing.obstacles = map[Action]Obstacle{rule.action: Missing}
			all = append(all, missing)
			continue
		}
		all = append(all, found[i])
		if by := found[i].by; by != 0 && !slices.Contains(people, by) {
			people = append(people, by)
		}
	}
	if len(people) == 0 {
		return all, nil
	}
	names, err := l.core.DB.Reports.AccountNames(ctx, here.Member.CompanyID, people)
	for i := range all {
		for _, person := range names {
			if person.ID == all[i].by {
				all[i].By = strings.TrimSpace(person.Name)
			}
		}
	}
	return all, err
}
