package web_test

import (
	"fmt"
	"strings"
	"testing"

	"portico/e2e/testscope"
	"portico/pages/web"
)

func TestSixtyFourAppsAreSimulatedAtATime(t *testing.T) {
	apps := web.NewSimulatedApps()
	for i := range 64 {
		apps.Update(fmt.Sprint("app ", i), web.SimulatedApp{Version: "first"}, func(*web.SimulatedApp) {})
	}
	if app := apps.Snapshot("app 0", web.SimulatedApp{Version: "again"}); app.Version != "first" {
		t.Error("the first of 64 apps is removed")
	}
	apps.Update("one more", web.SimulatedApp{}, func(*web.SimulatedApp) {})
	if app := apps.Snapshot("app 0", web.SimulatedApp{Version: "again"}); app.Version != "again" {
		t.Error("the oldest of 65 apps is still there")
	}
}

func TestSimulatedAppStoresTwoHundredCalls(t *testing.T) {
	app := web.SimulatedApp{}
	for i := range 201 {
		app.Answer(fmt.Sprintf(`{"id":"%d","call":"state"}`, i), "/login")
	}
	if n := len(app.Calls); n != 200 || app.Calls[0].ID != "1" {
		t.Errorf("%d calls from %s on", n, app.Calls[0].ID)
	}
}

func TestSimulatedAppIgnoresMessagesOfMoreThanEightKiB(t *testing.T) {
	for length, answered := range map[int]bool{8 << 10: true, 8<<10 + 1: false} {
		app, message := web.SimulatedApp{}, `{"id":"a","call":"state"}`
		message += strings.Repeat(" ", length-len(message))
		if answer := app.Answer(message, "/login"); (answer != "") != answered {
			t.Errorf("%d bytes: %q", length, answer)
		}
	}
}

func TestSimulatedAppsOfManyBrowsersAreUsedAtTheSameTime(t *testing.T) {
	apps := web.NewSimulatedApps()
	testscope.Together(8, 500, func(goroutine, i int) {
		id := fmt.Sprint(goroutine, " ", i%5)
		apps.Update(id, web.SimulatedApp{}, func(app *web.SimulatedApp) { app.Code += "x" })
		if code := apps.Snapshot(id, web.SimulatedApp{}).Code; len(code) != i/5+1 {
			t.Errorf("%s was changed %d times, not %d", id, len(code), i/5+1)
		}
	})
}
