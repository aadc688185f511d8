// Package page measures in a browser what pages load and how soon they can be used on a phone.
package page

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"portico/tools/bench/figures"
)

// throttle is how the browser slows down its connections and its processor. delay covers all round trips of a request,
// so the tools of browsers set it to about four times the round trip of a network.
type throttle struct {
	delay    time.Duration // of each request
	down, up float64       // bits a second; 0 for no limit
	cpu      float64       // how many times slower
}

// phoneCPU is how many times slower a phone runs than this machine.
const phoneCPU = 4

var (
	unhurried = throttle{cpu: phoneCPU}

	// networks are two networks, each simulated by the browser's throttling and by a slow path to the server.
	networks = []struct {
		name     string
		throttle throttle
		path     networkPath
	}{
		{
			"slow 3G",
			throttle{2000 * time.Millisecond, 400e3, 400e3, phoneCPU},
			networkPath{400 * time.Millisecond, 400e3, 400e3},
		},
		{
			"slow 4G",
			throttle{562500 * time.Microsecond, 1474.56e3, 675e3, phoneCPU},
			networkPath{150 * time.Millisecond, 1600e3, 750e3},
		},
	}
)

const (
	coldViews  = 3
	timedTurns = 3
	wayInTurns = 5
)

// Options are what Measure compares and where it reports.
type Options struct {
	Program string // origin of the program, such as http://localhost:40001
	Host    string // the host that its sites are below, which leads to this machine only in browsers
	Bare    string // origin of a server whose /login is a form without scripts, which leads to /me
	Phone   string // of a customer of the program who has one account
	Secret  string // that customer's password
	Budgets []byte // budgets.json
	Dir     string // for browser profiles
	Table   *figures.Table
}

// measurement is one run.
type measurement struct{ Options }

// Measure adds to the table what the login page of a new visitor on a phone loads, and how soon the visitor can type;
// then what the other pages without an account load. It needs Chromium or Chrome.
func Measure(ctx context.Context, o Options) error {
	m := &measurement{o}
	budgets, err := readBudgets(o.Budgets)
	if err != nil {
		return err
	}
	if err := m.weight(ctx, budgets["/login"]); err != nil {
		return err
	}
	if err := m.otherWeights(ctx, budgets); err != nil {
		return err
	}
	for _, n := range networks {
		views, err := m.usable(ctx, n.name+" by the browser", m.Program, m.Bare, n.throttle)
		if err != nil {
			return err
		}
		if n == networks[0] {
			m.firstPaint(views)
		}
		farOurs, err := n.path.listen(ctx, strings.TrimPrefix(m.Program, "http://"))
		if err != nil {
			return err
		}
		farBare, err := n.path.listen(ctx, strings.TrimPrefix(m.Bare, "http://"))
		if err != nil {
			return err
		}
		if _, err := m.usable(
			ctx, n.name+" by a slow path", "http://"+farOurs, "http://"+farBare, unhurried,
		); err != nil {
			return err
		}
	}
	if err := m.typedEarly(ctx); err != nil {
		return err
	}
	return m.wayIn(ctx)
}

// weight measures what a first and a second view load, and how much the layout shifts meanwhile.
func (m *measurement) weight(ctx context.Context, limit budget) error {
	var bytes, requests, scripts, elsewhere, shift, blocked, againBytes, again []float64
	for range coldViews {
		first, second, err := m.views(ctx, m.Program+"/login")
		if err != nil {
			return err
		}
		bytes, requests = append(bytes, first.bytes(allExchanges)), append(requests, first.count(allExchanges))
		scripts = append(scripts, first.bytes(isScript))
		elsewhere = append(elsewhere, first.count(func(e *exchange) bool { return !sameHost(e.url, m.Program) }))
		shift, blocked = append(shift, first.Shift), append(blocked, first.Blocked)
		againBytes = append(againBytes, second.bytes(allExchanges))
		again = append(again, second.count(func(e *exchange) bool { return !e.cached && !e.revalidated() }))
		if second.count(func(e *exchange) bool { return e.revalidated() }) != 1 {
			again[len(again)-1]++ // the page itself was sent in full
		}
	}
	page := func(what string, list []float64, unit string, limit float64) {
		m.Table.Add(what, figures.Median(list), unit, figures.AtMost, limit, "median of %d fresh profiles", len(list))
	}
	page("login page, cold: on the wire with headers", bytes, "B", limit.Bytes)
	page("login page, cold: requests", requests, "", limit.Requests)
	page("login page, cold: requests to other hosts", elsewhere, "", 0)
	page("login page, cold: scripts on the wire", scripts, "B", limit.Scripts)
	page("login page, cold: layout shift", shift, "", 0)
	page("login page, cold: blocking, processor slowed 4 times", blocked, "ms", 50)
	page("login page, second view: on the wire", againBytes, "B", 1000)
	page("login page, second view: asked for beside one 304", again, "", 0)
	return nil
}

// views opens a page in a fresh profile, then once more in the same one.
func (m *measurement) views(ctx context.Context, address string) (first, second *pageView, err error) {
	t, err := m.open(ctx, unhurried)
	if err != nil {
		return nil, nil, err
	}
	defer t.close()
	if first, err = t.view(address, untilQuiet); err != nil {
		return nil, nil, err
	}
	if _, err = t.view("about:blank", nil); err != nil {
		return nil, nil, err
	}
	second, err = t.view(address, untilQuiet)
	return first, second, err
}

// usable compares how long it takes until something is painted and until the phone field is usable. It returns the
// views of the program.
func (m *measurement) usable(ctx context.Context, how, ours, bare string, with throttle) ([]*pageView, error) {
	var views []*pageView
	var times, paints [2][]float64
	for range timedTurns {
		for i, address := range []string{ours, bare} {
			t, err := m.open(ctx, with)
			if err != nil {
				return nil, err
			}
			v, err := t.view(address+"/login", untilUsable)
			t.close()
			if err != nil {
				return nil, err
			}
			times[i], paints[i] = append(times[i], v.Usable), append(paints[i], v.Paint)
			if i == 0 {
				views = append(views, v)
			}
		}
	}
	m.Table.Add("phone field takes typing, "+how, figures.Ratio(times[0], times[1]), "", figures.AtMost, 1.15,
		"%.0f against %.0f ms of a bare form", figures.Median(times[0]), figures.Median(times[1]))
	m.Table.Add("first paint, "+how, figures.Ratio(paints[0], paints[1]), "", figures.AtMost, 1.15,
		"%.0f against %.0f ms of a bare form", figures.Median(paints[0]), figures.Median(paints[1]))
	return views, nil
}

// firstPaint measures how long a visitor waits until something is painted.
func (m *measurement) firstPaint(views []*pageView) {
	var bytes, requests []float64
	for _, v := range views {
		before := func(e *exchange) bool { return e.ended > 0 && e.ended < v.firstPaintTime() }
		bytes, requests = append(bytes, v.bytes(before)), append(requests, v.count(before))
	}
	m.Table.Add(
		"login page, before its first paint: on the wire", figures.Median(bytes), "B", figures.AtMost, 10_000,
		"slow 3G",
	)
	m.Table.Add(
		"login page, before its first paint: requests", figures.Median(requests), "", figures.Exactly, 1, "slow 3G",
	)
}

// typedEarly fills in every field while the scripts load and counts the fields that lose their input.
func (m *measurement) typedEarly(ctx context.Context) error {
	fields, lost := 0, []string{}
	for _, path := range []string{"/login", "/login/account"} {
		t, err := m.open(ctx, unhurried)
		if err != nil {
			return err
		}
		names, gone, err := t.typeEarly(m.Program + path)
		t.close()
		if err != nil {
			return err
		}
		fields, lost = fields+len(names), append(lost, gone...)
	}
	if fields == 0 {
		return errors.New("the login pages have no fields")
	}
	m.Table.Add(
		"fields that lose what was typed before the scripts", float64(len(lost)), "", figures.Exactly, 0, "%s",
		strings.TrimSpace(fmt.Sprint(fields, " fields ", strings.Join(lost, ", "))),
	)
	return nil
}

func allExchanges(*exchange) bool { return true }

func sameHost(a, b string) bool {
	first, err := url.Parse(a)
	other, err2 := url.Parse(b)
	return err == nil && err2 == nil && first.Host == other.Host
}
