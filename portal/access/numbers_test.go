package access

import (
	"testing"
	"time"

	"portico/constanttest"
)

// Tests of behaviour use the constants, so they pass whatever the values are. This test compares each constant of the
// package with a literal: a limit, lifetime or size cannot be changed by accident.
func TestEveryConstantHasItsExpectedValue(t *testing.T) {
	constanttest.Check(t, constanttest.Values{
		"MaxPosition":      {MaxPosition, 40},
		"AuditPage":        {AuditPage, 50},
		"AuditStaff":       {AuditStaff, 50},
		"auditStep":        {auditStep, 500},
		"AuditExport":      {AuditExport, 10_000},
		"DefaultAuditKept": {DefaultAuditKept, 400 * 24 * time.Hour},
		"Day":              {Day, 24 * time.Hour},
		"MinPassword":      {MinPassword, 6},
		"MaxPasswordTyped": {MaxPasswordTyped, 20},
		"PhoneDigits":      {PhoneDigits, 11},
		"MaxPhoneTyped":    {MaxPhoneTyped, 40},
		"MaxUpload":        {MaxUpload, 5 << 20},
		"MobileWidth":      {MobileWidth, 750},
		"RandomLength":     {RandomLength, 15},
		"RequestLength":    {RequestLength, 20},
		"CardGroup":        {CardGroup, 4},
		"MinCardDigits":    {MinCardDigits, 12},
		"MaxCardDigits":    {MaxCardDigits, 19},
		"MaxHost":          {MaxHost, 253},
		"maxClaimed":       {maxClaimed, 1012},
		"CompanyCacheTime": {CompanyCacheTime, time.Second},
		"CompaniesCached":  {CompaniesCached, 2048},
		"MaxLogin":         {MaxLogin, 40},
		"MaxName":          {MaxName, 40},
		"MaxCompanyName":   {MaxCompanyName, 60},
		"MaxSearch":        {MaxSearch, 60},
		"MaxTyped":         {MaxTyped, 320},
		"OffersShown":      {OffersShown, 3},
		"MaxPassword":      {MaxPassword, 256},
		"MaxPasswordChars": {MaxPasswordChars, 64},
		"LeftHidden":       {LeftHidden, -1},
		"TrialEnding":      {TrialEnding, 5},
	}, map[string]string{
		"longWait":   "from when a wait is shown in minutes",
		"longerWait": "from when a wait is shown in hours",
	})
}
