package application

import (
	"testing"
	"time"

	"portico/constanttest"
)

// Tests of behaviour use the constants, so they pass whatever the values are. This test compares each constant of the
// package with a literal: a limit, lifetime or size cannot be changed by accident.
func TestEveryConstantHasItsExpectedValue(t *testing.T) {
	constanttest.Check(t, constanttest.Values{
		"ApplicantStay":     {ApplicantStay, 2 * time.Hour},
		"DraftKept":         {DraftKept, 7 * 24 * time.Hour},
		"draftField":        {draftField, 4000},
		"MaxAddress":        {MaxAddress, 200},
		"MaxReason":         {MaxReason, 500},
		"MaxRejectReason":   {MaxRejectReason, 200},
		"ApplicationsADay":  {ApplicationsADay, 5},
		"CountShown":        {CountShown, 1000},
		"ReviewersNotified": {ReviewersNotified, 20},
		"ReviewerRest":      {ReviewerRest, time.Hour},
		"WaitingShown":      {WaitingShown, 99},
		"MaxSite":           {MaxSite, 300},
		"UploadLife":        {UploadLife, 10 * time.Minute},
		"MaxUploadName":     {MaxUploadName, 255},
	}, map[string]string{
		"dueWatchers": "how many rows are read at a time",
	})
}
