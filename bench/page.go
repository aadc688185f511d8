package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"
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
		path     path
	}{
		{
			"slow 3G",
			throttle{2000 * time.Millisecond, 400e3, 400e3, phoneCPU},
			path{400 * time.Millisecond, 400e3, 400e3},
		},
		{
			"slow 4G",
			throttle{562500 * time.Microsecond, 1474.56e3, 675e3, phoneCPU},
			path{150 * time.Millisecond, 1600e3, 750e3},
		},
	}
)

const (
	coldViews  = 3
	timedTurns = 3
)

// page measures the login page on the phone of a new visitor: its size, and how soon the visitor can type.
func (b *bench) page(ctx context.Context) error {
	ours, err := b.portico(ctx)
	if err != nil {
		return err
	}
	defer ours.stop()
	bare, err := b.bare(bareLogin())
	if err != nil {
		return err
	}
	defer bare.stop()
	budgets, err := readBudgets()
	if err != nil {
		return err
	}
	if err := b.weight(ctx, ours, budgets["/login"]); err != nil {
		return err
	}
	if err := b.otherWeights(ctx, ours, budgets); err != nil {
		return err
	}
	for _, n := range networks {
		views, err := b.usable(ctx, n.name+" by the browser", ours.url, bare.url, n.throttle)
		if err != nil {
			return err
		}
		if n == networks[0] {
			b.firstPaint(views)
		}
		farOurs, err := n.path.listen(ctx, strings.TrimPrefix(ours.url, "http://"))
		if err != nil {
			return err
		}
		farBare, err := n.path.listen(ctx, strings.TrimPrefix(bare.url, "http://"))
		if err != nil {
			return err
		}
		if _, err := b.usable(
			ctx, n.name+" by a slow path", "http://"+farOurs, "http://"+farBare, unhurried,
		); err != nil {
			return err
		}
	}
	return b.typedEarly(ctx, ours)
}

// weight measures what a first and a second view load, and how much the layout shifts meanwhile.
func (b *bench) weight(ctx context.Context, ours *process, limit budget) error {
	var bytes, requests, scripts, elsewhere, shift, blocked, againBytes, again []float64
	for range coldViews {
		first, second, err := b.views(ctx, ours.url+"/login")
		if err != nil {
			return err
		}
		bytes, requests = append(bytes, first.bytes(everything)), append(requests, first.count(everything))
		scripts = append(scripts, first.bytes(isScript))
		elsewhere = append(elsewhere, first.count(func(e *exchange) bool { return !sameHost(e.url, ours.url) }))
		shift, blocked = append(shift, first.Shift), append(blocked, first.Blocked)
		againBytes = append(againBytes, second.bytes(everything))
		again = append(again, second.count(func(e *exchange) bool { return !e.cached && !e.revalidated() }))
		if second.count(func(e *exchange) bool { return e.revalidated() }) != 1 {
			again[len(again)-1]++ // the page itself was sent in full
		}
	}
	page := func(what string, list []float64, unit string, limit float64) {
		b.table.add(what, median(list), unit, atMost, limit, "median of %d fresh profiles", len(list))
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
func (b *bench) views(ctx context.Context, address string) (first, second *view, err error) {
	t, err := b.open(ctx, unhurried)
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
func (b *bench) usable(ctx context.Context, how, ours, bare string, with throttle) ([]*view, error) {
	var views []*view
	var times, paints [2][]float64
	for range timedTurns {
		for i, address := range []string{ours, bare} {
			t, err := b.open(ctx, with)
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
	b.table.add("phone field takes typing, "+how, ratio(times[0], times[1]), "", atMost, 1.15,
		"%.0f against %.0f ms of a bare form", median(times[0]), median(times[1]))
	b.table.add("first paint, "+how, ratio(paints[0], paints[1]), "", atMost, 1.15,
		"%.0f against %.0f ms of a bare form", median(paints[0]), median(paints[1]))
	return views, nil
}

// firstPaint measures how long a visitor waits until something is painted.
func (b *bench) firstPaint(views []*view) {
	var bytes, requests []float64
	for _, v := range views {
		before := func(e *exchange) bool { return e.ended > 0 && e.ended < v.painted() }
		bytes, requests = append(bytes, v.bytes(before)), append(requests, v.count(before))
	}
	b.table.add("login page, before its first paint: on the wire", median(bytes), "B", atMost, 10_000, "slow 3G")
	b.table.add("login page, before its first paint: requests", median(requests), "", exactly, 1, "slow 3G")
}

// typedEarly fills in every field while the scripts load and counts the fields that lose their input.
func (b *bench) typedEarly(ctx context.Context, ours *process) error {
	fields, lost := 0, []string{}
	for _, path := range []string{"/login", "/login/account"} {
		t, err := b.open(ctx, unhurried)
		if err != nil {
			return err
		}
		names, gone, err := t.typeEarly(ours.url + path)
		t.close()
		if err != nil {
			return err
		}
		fields, lost = fields+len(names), append(lost, gone...)
	}
	if fields == 0 {
		return errors.New("the login pages have no fields")
	}
	b.table.add(
		"fields that lose what was typed before the scripts", float64(len(lost)), "", exactly, 0, "%s",
		strings.TrimSpace(fmt.Sprint(fields, " fields ", strings.Join(lost, ", "))),
	)
	return nil
}

func everything(*exchange) bool { return true }

func sameHost(a, b string) bool {
	one, err := url.Parse(a)
	other, err2 := url.Parse(b)
	return err == nil && err2 == nil && one.Host == other.Host
}
