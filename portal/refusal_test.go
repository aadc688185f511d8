package portal_test

import (
	_ "embed"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"portico/portal"
)

//go:embed testdata/errors.tsv
var contractErrors string

func TestTheCatalogueIsTheContracts(t *testing.T) {
	want := map[string]portal.CatalogueRow{}
	for i, line := range strings.Split(strings.TrimSpace(contractErrors), "\n") {
		columns := strings.Split(line, "\t")
		if i == 0 || columns[1] == "ok" {
			continue
		}
		status, err := strconv.Atoi(columns[0])
		noError(t, err)
		code, err := strconv.Atoi(columns[2])
		noError(t, err)
		want[columns[1]] = portal.CatalogueRow{Refusal: portal.Refusal(columns[1]), Status: status, HTTP: code}
	}
	if len(want) < 40 {
		t.Fatalf("only %d rows in testdata/errors.tsv", len(want))
	}
	seen := map[string]bool{}
	for _, row := range portal.Catalogue {
		name := string(row.Refusal)
		if seen[name] {
			t.Errorf("%s stands twice", name)
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

func TestARefusalIsRecognisedThroughWhatComesWithIt(t *testing.T) {
	err := fmt.Errorf("sign in: %w", &portal.Refused{Refusal: portal.WrongPassword, Left: 3})
	if !errors.Is(err, portal.WrongPassword) {
		t.Error("the refusal is hidden")
	}
	if errors.Is(err, portal.AccountNotFound) {
		t.Error("taken for another refusal")
	}
}

func TestAWaitIsToldInWholeSecondsAndNeverAsZero(t *testing.T) {
	for wait, want := range map[time.Duration]int{
		0: 0, -time.Second: 0, time.Millisecond: 1, time.Second: 1, 1001 * time.Millisecond: 2, 15 * time.Minute: 900,
	} {
		if got := (&portal.Refused{Wait: wait}).WaitSeconds(); got != want {
			t.Errorf("%v is told as %d s, want %d", wait, got, want)
		}
	}
}
