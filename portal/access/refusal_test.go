package access_test

import (
	_ "embed"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"portico/portal/access"
	"portico/portal/portaltest"
)

//go:embed testdata/errors.tsv
var ContractErrors string

func TestTheRefusalsMatchTheErrorCatalogue(t *testing.T) {
	want := map[string]access.CatalogueRow{}
	for i, line := range strings.Split(strings.TrimSpace(ContractErrors), "\n") {
		columns := strings.Split(line, "\t")
		if i == 0 || columns[1] == "ok" {
			continue
		}
		status, err := strconv.Atoi(columns[0])
		portaltest.NoError(t, err)
		code, err := strconv.Atoi(columns[2])
		portaltest.NoError(t, err)
		want[columns[1]] = access.CatalogueRow{Refusal: access.Refusal(columns[1]), Status: status, HTTP: code}
	}
	if len(want) < 40 {
		t.Fatalf("only %d rows in testdata/errors.tsv", len(want))
	}
	seen := map[string]bool{}
	for _, row := range access.Catalogue {
		name := string(row.Refusal)
		if seen[name] {
			t.Errorf("%s is listed twice", name)
		}
		seen[name] = true
		if row != want[name] {
			t.Errorf("%s is %+v, the contract says %+v", name, row, want[name])
		}
	}
	for name := range want {
		if !seen[name] {
			t.Errorf("%s is missing", name)
		}
	}
}

func TestErrorsIsFindsTheRefusalInsideARefused(t *testing.T) {
	err := fmt.Errorf("sign in: %w", &access.Refused{Refusal: access.WrongPassword, Left: 3})
	if !errors.Is(err, access.WrongPassword) {
		t.Error("the refusal is hidden")
	}
	if errors.Is(err, access.AccountNotFound) {
		t.Error("taken for another refusal")
	}
}

func TestOnlyAHiddenNumberOfTriesLeftGivesTheNeutralMessage(t *testing.T) {
	message := func(left int) string {
		key, _ := (&access.Refused{Refusal: access.WrongPassword, Left: left}).Message()
		return key
	}
	for left := range 10 {
		if key := message(left); key != "error.wrong_password" {
			t.Errorf("with %d tries left the message is %s", left, key)
		}
	}
	if key := message(access.LeftHidden); key != "wrong.neutral" {
		t.Errorf("with a hidden number of tries left the message is %s", key)
	}
}

func TestAWaitIsRoundedUpToWholeSeconds(t *testing.T) {
	for wait, want := range map[time.Duration]int{
		0: 0, -time.Second: 0, time.Millisecond: 1, time.Second: 1, 1001 * time.Millisecond: 2, 15 * time.Minute: 900,
	} {
		if got := (&access.Refused{Wait: wait}).WaitSeconds(); got != want {
			t.Errorf("%v is rounded to %d s, want %d", wait, got, want)
		}
	}
}
