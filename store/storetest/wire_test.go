package storetest_test

import (
	"testing"

	"portico/store/storetest"
)

// A count that came late would be missing in the measured operation, and be found in the next one.
func TestAnAnswerIsCountedBeforeTheProgramHasIt(t *testing.T) {
	db, wire := storetest.Watched(t)
	read := func() {
		if _, err := db.Companies.ByID(t.Context(), 1); err == nil {
			t.Error("there is a company")
		}
	}
	read() // prepares the statement
	for i := range 1000 {
		if work := wire.Measure(read); work.RoundTrips != 1 {
			t.Fatalf("measurement %d has %d round trips", i, work.RoundTrips)
		}
	}
}
