package sessions

import (
	"testing"
	"time"

	"portico/constanttest"
)

// Tests of behaviour use the constants, so they pass whatever the values are. This test compares each constant of the
// package with a literal: a limit, lifetime or size cannot be changed by accident.
func TestEveryConstantHasItsExpectedValue(t *testing.T) {
	constanttest.Check(t, constanttest.Values{
		"AccountIdle":     {AccountIdle, 12 * time.Hour},
		"AccountLife":     {AccountLife, 24 * time.Hour},
		"RememberedLife":  {RememberedLife, 30 * 24 * time.Hour},
		"ManagerIdle":     {ManagerIdle, 30 * time.Minute},
		"ManagerLife":     {ManagerLife, 24 * time.Hour},
		"ShopIdle":        {ShopIdle, 12 * time.Hour},
		"ShopLife":        {ShopLife, 30 * 24 * time.Hour},
		"LandingLife":     {LandingLife, 30 * 24 * time.Hour},
		"UnconfirmedLife": {UnconfirmedLife, 10 * time.Minute},
		"FormerLife":      {FormerLife, time.Minute},
		"TouchAfter":      {TouchAfter, time.Minute},
		"maxAgent":        {maxAgent, 200},
		"maxWidth":        {maxWidth, 16_384},
		"minWidth":        {minWidth, 100},
		"TokenIdle":       {TokenIdle, 30 * 24 * time.Hour},
		"TokenLife":       {TokenLife, 365 * 24 * time.Hour},
		"TicketLife":      {TicketLife, 15 * time.Minute},
	}, map[string]string{
		"NeverUsed": "nothing",
	})
}
