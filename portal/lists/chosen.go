package lists

import (
	"cmp"
	"context"

	"portico/portal/access"
	"portico/portal/office"
	"portico/store"
	"portico/store/lists"
)

// Obstacle is why an action cannot be done to a row as the row is now. Its text is the locale key "bulk.obstacle_" +
// its value, and "bulk.obstacle_" + its value + "_by" where who did it is known.
type Obstacle string

// The obstacles.
const (
	Missing        Obstacle = "missing" // the company has no such row
	Confirmed      Obstacle = "confirmed"
	Approved       Obstacle = "approved"
	Rejected       Obstacle = "rejected"
	OwnApplication Obstacle = "own_application"
	IsPartner      Obstacle = "partner"
	IsEnded        Obstacle = "ended"
	IsEnabled      Obstacle = "enabled"
	IsDisabled     Obstacle = "disabled"
	OwnAccount     Obstacle = "own_account"
	NotInvited     Obstacle = "not_invited"
	Unreached      Obstacle = "unreached" // the action ended before it came to the row
)

// Obstacles are all obstacles.
var Obstacles = []Obstacle{
	Missing, Confirmed, Approved, Rejected, OwnApplication, IsPartner, IsEnded, IsEnabled, IsDisabled, OwnAccount,
	NotInvited, Unreached,
}

// candidate is a row that was chosen, with what stands in the way of each action. The operations decide; obstacles only
// foretell what they will refuse. by is the account that brought the row into its state, 0 for unknown. isOneWay is a
// row whose state no action restores.
type candidate struct {
	ChosenRow
	obstacles map[Action]Obstacle
	by        int64
	isOneWay  bool
}

func chosenOrders(
	ctx context.Context, db *store.DB, here access.Landing, ids []int64, lang string,
) (all []candidate, err error) {
	rows, err := lists.OrdersByID(ctx, db, here.Member.CompanyID, ids)
	for _, o := range rows {
		c := candidate{ChosenRow: ChosenRow{ID: o.ID, Name: o.ClientName, Number: o.Number}, by: o.ConfirmedBy}
		if o.State != store.OrderNew {
			c.obstacles = map[Action]Obstacle{Confirm: Confirmed}
		}
		all = append(all, c)
	}
	return all, err
}

func chosenCustomers(
	ctx context.Context, db *store.DB, here access.Landing, ids []int64, lang string,
) (all []candidate, err error) {
	rows, err := lists.CustomersByID(ctx, db, here.Member.CompanyID, ids)
	for _, k := range rows {
		c := candidate{ChosenRow: ChosenRow{ID: k.ID, Name: k.Name}}
		c.obstacles = map[Action]Obstacle{Resume: IsPartner}
		if k.State == store.ClientEnded {
			c.obstacles = map[Action]Obstacle{End: IsEnded}
		}
		all = append(all, c)
	}
	return all, err
}

func chosenApplications(
	ctx context.Context, db *store.DB, here access.Landing, ids []int64, _ string,
) (all []candidate, err error) {
	rows, err := lists.ApplicationsByID(ctx, db, here.Member.CompanyID, ids)
	for _, a := range rows {
		c := candidate{ChosenRow: ChosenRow{ID: a.ID, Name: a.CompanyName}, by: a.DecidedBy}
		var obstacle Obstacle
		switch {
		case a.State == store.ApplicationApproved:
			obstacle = Approved
		case a.State == store.ApplicationRejected:
			obstacle = Rejected
		case a.Phone == here.Member.Phone:
			obstacle = OwnApplication
		}
		c.obstacles = map[Action]Obstacle{Approve: obstacle, Reject: obstacle}
		all = append(all, c)
	}
	return all, err
}

func chosenPeople(
	ctx context.Context, db *store.DB, here access.Landing, ids []int64, _ string,
) (all []candidate, err error) {
	rows, err := lists.PeopleByID(ctx, db, here.Member.CompanyID, ids)
	for _, m := range rows {
		c := candidate{ChosenRow: ChosenRow{ID: m.ID, Name: cmp.Or(m.Name, m.Login)}}
		c.obstacles, c.isOneWay = map[Action]Obstacle{}, m.State == store.AccountUnderReview
		if m.State == store.AccountActive {
			c.obstacles[Enable] = IsEnabled
		}
		if m.State == store.AccountUnderReview && m.PersonID != 0 && m.PersonID == here.Member.PersonID {
			c.obstacles[Enable] = OwnAccount
		}
		if m.State == store.AccountDisabled {
			c.obstacles[Disable] = IsDisabled
		}
		if m.ID == here.Member.ID {
			c.obstacles[Disable] = OwnAccount
		}
		if office.PersonStateOf(m) != office.PersonInvited {
			c.obstacles[Invite] = NotInvited
		}
		all = append(all, c)
	}
	return all, err
}
