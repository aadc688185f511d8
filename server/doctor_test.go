package server

import (
	"net/http/httptest"
	"testing"
	"time"
)

func TestDoctorsQuestionIsAnsweredForOneMinute(t *testing.T) {
	s, _ := testServer(t, nil)
	asked := time.UnixMilli(1_760_000_000_000)
	sealed, err := DoctorQuestion(s.Portal.Sealing, asked)
	if err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequest("GET", "/readyz", nil)
	r.Header.Set(DoctorHeader, sealed)
	for age, want := range map[time.Duration]bool{
		0: true, time.Minute: true, time.Minute + time.Millisecond: false,
		-time.Minute: true, -time.Minute - time.Millisecond: false, // by the clock of another machine
	} {
		if got := answerDoctor(httptest.NewRecorder(), r, s.Portal.Sealing, Seen{}, asked.Add(age)); got != want {
			t.Errorf("after %s: answered %t", age, got)
		}
	}
}
