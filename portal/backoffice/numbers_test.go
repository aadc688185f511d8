package backoffice

import (
	"testing"
	"time"

	"portico/constanttest"
)

// Tests of behaviour use the constants, so they pass whatever the values are. This test compares each constant of the
// package with a literal: a limit, lifetime or size cannot be changed by accident.
func TestEveryConstantHasItsExpectedValue(t *testing.T) {
	constanttest.Check(t, constanttest.Values{
		"MaxDepartment":          {MaxDepartment, 40},
		"MaxCustomerTypes":       {MaxCustomerTypes, 30},
		"CustomerTypesEver":      {CustomerTypesEver, 200},
		"MaxCustomerType":        {MaxCustomerType, 30},
		"RoleChanges":            {RoleChanges, 20},
		"AdministratorsNotified": {AdministratorsNotified, 20},
		"MaxBankHolder":          {MaxBankHolder, 60},
		"MaxBankName":            {MaxBankName, 60},
		"MaxCardTyped":           {MaxCardTyped, 23},
		"PartnersShown":          {PartnersShown, 500},
		"AccountsOpened":         {AccountsOpened, 200},
		"AccountsOpenedFormal":   {AccountsOpenedFormal, 2000},
		"PhonesRevealed":         {PhonesRevealed, 20},
		"OpenedAgain":            {OpenedAgain, 5 * time.Minute},
		"PeopleShown":            {PeopleShown, 30},
		"customerOrdersShown":    {customerOrdersShown, 5},
	}, map[string]string{})
}
