package chatlogin

import (
	"testing"
	"time"

	"portico/constanttest"
)

// Tests of behaviour use the constants, so they pass whatever the values are. This test compares each constant of the
// package with a literal: a limit, lifetime or size cannot be changed by accident.
func TestEveryConstantHasItsExpectedValue(t *testing.T) {
	constanttest.Check(t, constanttest.Values{
		"headInTicket":       {headInTicket, 300},
		"AuthorisationLife":  {AuthorisationLife, 10 * time.Minute},
		"AuthorisationAgain": {AuthorisationAgain, 2 * time.Minute},
		"AuthorisationKept":  {AuthorisationKept, time.Hour},
		"Authorisations":     {Authorisations, 200},
		"stateBytes":         {stateBytes, 20},
		"exchangeTime":       {exchangeTime, 5500 * time.Millisecond},
		"ApplicantKept":      {ApplicantKept, 180 * 24 * time.Hour},
		"Signatures":         {Signatures, 300},
		"maxPage":            {maxPage, 1024},
		"maxPushID":          {maxPushID, 64},
	}, map[string]string{})
}
