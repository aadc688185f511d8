package chatlogin

import (
	"testing"
	"time"

	"portico/constanttest"
)

func TestEveryNumberHasItsLiteral(t *testing.T) {
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
