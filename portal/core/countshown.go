package core

const (
	// CountShown is the largest number of customers, orders or other rows that is counted. Where there are more, the
	// count is CountShown+1 and pages say so: counting them all would take longer the larger a company is.
	CountShown = 1000
	// WaitingShown is the largest number of new orders or pending applications that a menu and a message show.
	WaitingShown = 99
)
