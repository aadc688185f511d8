package verification

import (
	"testing"
	"time"

	"portico/constanttest"
)

// Tests of behaviour use the constants, so they pass whatever the values are. This test compares each constant of the
// package with a literal: a limit, lifetime or size cannot be changed by accident.
func TestEveryConstantHasItsExpectedValue(t *testing.T) {
	constanttest.Check(t, constanttest.Values{
		"BudgetsShown":        {BudgetsShown, 10},
		"CodeDigits":          {CodeDigits, 6},
		"CodeLife":            {CodeLife, 5 * time.Minute},
		"CodeTries":           {CodeTries, 5},
		"CodeTriesADay":       {CodeTriesADay, 20},
		"ProofLife":           {ProofLife, 10 * time.Minute},
		"DefaultResend":       {DefaultResend, time.Minute},
		"CodesKept":           {CodesKept, 25 * time.Hour},
		"maxCompanyText":      {maxCompanyText, 20},
		"maxCompanyDigits":    {maxCompanyDigits, 3},
		"MessagesPhoneHour":   {MessagesPhoneHour, 5},
		"MessagesPhoneDay":    {MessagesPhoneDay, 10},
		"MessagesAccountDay":  {MessagesAccountDay, 10},
		"MessagesAddressHour": {MessagesAddressHour, 20},
		"MessagesNetworkHour": {MessagesNetworkHour, 60},
		"MessagesWideHour":    {MessagesWideHour, 200},
		"WideShare":           {WideShare, 4},
		"MessagesCompanyDay":  {MessagesCompanyDay, 500},
		"MessagesDay":         {MessagesDay, 5000},
		"StrangersShare":      {StrangersShare, 50},
		"RegisteredShare":     {RegisteredShare, 40},
		"SharePerHour":        {SharePerHour, 6},
		"RunLength":           {RunLength, 10},
		"RunBlock":            {RunBlock, 1000},
		"budgetWarning":       {budgetWarning, 80},
		"shareWarning":        {shareWarning, 50},
		"FreeAsksBrowser":     {FreeAsksBrowser, 1},
		"FreeAsksAddress":     {FreeAsksAddress, 3},
		"MaxNickInMessage":    {MaxNickInMessage, 12},
		"MaxLoginInMessage":   {MaxLoginInMessage, 20},
		"LookUpsADay":         {LookUpsADay, 40},
		"MaxSending":          {MaxSending, 64},
		"MaxSendingByToken":   {MaxSendingByToken, 48},
		"MaxSendingAddress":   {MaxSendingAddress, 8},
		"MaxSendingMiddle":    {MaxSendingMiddle, 16},
		"MaxSendingWide":      {MaxSendingWide, 32},
		"MinSendingRate":      {MinSendingRate, 1 << 10},
		"SendingGrace":        {SendingGrace, 10 * time.Second},
		"SendingTime":         {SendingTime, 2 * time.Minute},
		"sendingWait":         {sendingWait, 10 * time.Second},
	}, map[string]string{})
}
