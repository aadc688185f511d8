package branding

import (
	"testing"
	"time"

	"portico/constanttest"
)

func TestEveryNumberHasItsLiteral(t *testing.T) {
	constanttest.Check(t, constanttest.Values{
		"MaxDomains":       {MaxDomains, 5},
		"DomainChecks":     {DomainChecks, 10},
		"LookUpTime":       {LookUpTime, 3 * time.Second},
		"DomainCheckEvery": {DomainCheckEvery, 24 * time.Hour},
		"DomainLapse":      {DomainLapse, 3 * 24 * time.Hour},
		"domainLease":      {domainLease, time.Minute},
		"domainBatch":      {domainBatch, 10},
		"LookDraftKept":    {LookDraftKept, 24 * time.Hour},
		"LookShown":        {LookShown, 10 * time.Minute},
		"maxDraftStyle":    {maxDraftStyle, 60 << 10},
	}, map[string]string{
		"styleEdition": "the version of a format",
	})
}
