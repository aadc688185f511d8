package page

import (
	"context"
	"fmt"
	"net/url"
	"time"

	"github.com/go-rod/rod/lib/input"
	"github.com/go-rod/rod/lib/proto"

	"portico/tools/bench/figures"
)

// wayIn compares the program's sign-in with that of a bare form. It measures the time from a tap on the link to the
// sign-in page until the shop's prices are painted, without the time for typing. The program's sign-in ends on another
// host.
func (m *measurement) wayIn(ctx context.Context) error {
	ours, err := url.Parse(m.Program)
	if err != nil {
		return err
	}
	ours.Host = "account." + m.Host + ":" + ours.Port()
	for _, n := range networks {
		var times [2][]float64
		for range wayInTurns {
			for i, origin := range []string{ours.String(), m.Bare} {
				took, err := m.signInFrom(ctx, origin+"/login", n.throttle)
				if err != nil {
					return fmt.Errorf("the way in on %s: %w", n.name, err)
				}
				times[i] = append(times[i], took)
			}
		}
		m.Table.Add("from the link to the prices, "+n.name, figures.Ratio(times[0], times[1]), "", figures.AtMost, 1.15,
			"%.0f against %.0f ms of a bare form's sign-in", figures.Median(times[0]), figures.Median(times[1]))
	}
	return nil
}

// signInFrom signs in at an address. It returns the sum of two times in milliseconds: until the form was usable, and
// from the Enter key until the next page painted a price.
func (m *measurement) signInFrom(ctx context.Context, address string, with throttle) (float64, error) {
	t, err := m.open(ctx, with)
	if err != nil {
		return 0, err
	}
	defer t.close()
	form, err := t.view(address, untilUsable)
	if err != nil {
		return 0, err
	}
	for _, typed := range []struct{ field, text string }{
		{"phone", m.Phone}, {"password", m.Secret},
	} {
		field, err := t.Element("input[name=" + typed.field + "]")
		if err == nil {
			err = field.Focus()
		}
		if err == nil {
			err = proto.InputInsertText{Text: typed.text}.Call(t)
		}
		if err != nil {
			return 0, err
		}
	}
	pressed := time.Now()
	if err := t.Keyboard.Press(input.Enter); err != nil {
		return 0, err
	}
	if err := t.await(`location.pathname !== "/login" && !!window.seen && seen.Priced > 0`); err != nil {
		return 0, err
	}
	answer, err := proto.RuntimeEvaluate{Expression: "seen.Priced", ReturnByValue: true}.Call(t)
	if err != nil {
		return 0, err
	}
	return form.Usable + answer.Result.Value.Num() - float64(pressed.UnixMicro())/1000, nil
}
