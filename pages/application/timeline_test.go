package application

import (
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"portico/locale"
	"portico/portal/application"
	"portico/store"
)

func TestTheTimelineShowsWhatIsDoneAndWhatIsNext(t *testing.T) {
	r := httptest.NewRequest("GET", "/register/result", nil)
	r = r.WithContext(locale.With(r.Context(), locale.English))
	sentAt := time.Date(2026, 10, 1, 8, 0, 0, 0, time.UTC)
	const sent, decided = "1 Oct 2026 16:00", "2 Oct 2026 18:30"
	for name, c := range map[string]struct {
		state             store.ApplicationState
		isApplicant, isUp bool
		want              []timelineStep
	}{
		"pending": {store.ApplicationPending, true, false, []timelineStep{
			{"Submitted", sent, "done"}, {"In review", "Usually takes one working day", "now"}, {"Decision", "", ""},
		}},
		"pending, for anybody with the link": {store.ApplicationPending, false, false, []timelineStep{
			{"Submitted", "", "done"}, {"In review", "Usually takes one working day", "now"}, {"Decision", "", ""},
		}},
		"approved": {store.ApplicationApproved, true, false, []timelineStep{
			{"Submitted", sent, "done"}, {"Approved", decided, "done"}, {"Set up your account", "", "now"},
			{"Start ordering", "", ""},
		}},
		"approved and set up": {store.ApplicationApproved, true, true, []timelineStep{
			{"Submitted", sent, "done"}, {"Approved", decided, "done"}, {"Set up your account", "", "done"},
			{"Start ordering", "", "now"},
		}},
		"rejected": {store.ApplicationRejected, true, false, []timelineStep{
			{"Submitted", sent, "done"}, {"Rejected", decided, "bad"},
		}},
	} {
		a := application.ApplicationView{AllFields: c.isApplicant, SetUp: c.isUp}
		a.State = c.state
		if c.isApplicant {
			a.CreatedAt = store.At(sentAt)
		}
		if c.isApplicant && c.state != store.ApplicationPending {
			a.DecidedAt = store.At(sentAt.Add(26*time.Hour + 30*time.Minute))
		}
		if got := timeline(r, a); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v", name, got)
		}
	}
}
