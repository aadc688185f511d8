package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"portico/tools/bench/figures"
)

const (
	serverTurns = 3
	serverLeg   = 3 * time.Second
)

// server measures the processor time of an answer, compared with a handler that only writes the same bytes and
// headers.
func (b *bench) server(ctx context.Context) error {
	portico, err := b.portico(ctx)
	if err != nil {
		return err
	}
	defer portico.stop()
	same, err := loginAnswer(ctx, portico.url)
	if err != nil {
		return err
	}
	bare, err := b.startBareServer(same)
	if err != nil {
		return err
	}
	defer bare.stop()
	legs := []repeatedRequest{
		{portico, request{"GET", portico.url + "/login", http.StatusOK, nil}},
		{bare, request{"GET", bare.url + "/login", http.StatusOK, nil}},
		{portico, request{"POST", portico.url + "/login", http.StatusUnprocessableEntity, nil}},
	}
	for _, path := range refusedForms {
		legs = append(legs, repeatedRequest{portico,
			request{"POST", portico.url + path, http.StatusUnprocessableEntity, nil}})
	}
	cost, rate, err := measureInTurns(ctx, legs)
	if err != nil {
		return err
	}
	b.table.Add(
		"GET /login: processor time", figures.Ratio(cost[0], cost[1]), "", figures.AtMost, 1.5,
		"%.0f against %.0f µs of a bare handler", figures.Median(cost[0]), figures.Median(cost[1]),
	)
	b.table.Add(
		"GET /login: rate at 64 connections", figures.Ratio(rate[0], rate[1]), "", figures.AtLeast, 0.6,
		"%.0f against %.0f a second", figures.Median(rate[0]), figures.Median(rate[1]),
	)
	b.table.Add(
		"POST /login, empty form: processor time", figures.Ratio(cost[2], cost[1]), "", figures.AtMost, 10,
		"%.0f against %.0f µs of a bare handler", figures.Median(cost[2]), figures.Median(cost[1]),
	)
	dearest := 3
	for i := range cost[3:] {
		if figures.Median(cost[3+i]) > figures.Median(cost[dearest]) {
			dearest = 3 + i
		}
	}
	b.table.Add(
		"other public forms, empty, the dearest: processor time", figures.Ratio(cost[dearest], cost[1]), "",
		figures.AtMost, 10, "POST %s: %.0f µs", refusedForms[dearest-3], figures.Median(cost[dearest]),
	)
	return nil
}

// refusedForms are the other forms that anybody can send and that are shown again when they are empty.
var refusedForms = []string{
	"/login/account", "/login/code", "/register", "/experience", "/forget/phone", "/forget/account",
}

// repeatedRequest is a request that is sent to one process again and again.
type repeatedRequest struct {
	process *process
	request request
}

// measureInTurns goes through the legs a few times. It returns, for each leg and turn, the processor time of an answer
// in microseconds and the answers a second.
func measureInTurns(ctx context.Context, legs []repeatedRequest) (cost, rate [][]float64, err error) {
	cost, rate = make([][]float64, len(legs)), make([][]float64, len(legs))
	for range serverTurns {
		for i, leg := range legs {
			before, err := leg.process.cpu()
			if err != nil {
				return nil, nil, err
			}
			load, err := hammer(ctx, leg.request, serverLeg)
			if err != nil {
				return nil, nil, err
			}
			after, err := leg.process.cpu()
			if err != nil {
				return nil, nil, err
			}
			cost[i] = append(cost[i], float64((after-before).Nanoseconds())/1000/float64(load.answers))
			rate[i] = append(rate[i], load.rate)
		}
	}
	return cost, rate, nil
}

// loginAnswer is the login page of a new visitor as the program sends it.
func loginAnswer(ctx context.Context, url string) (answer, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/login", nil)
	if err != nil {
		return answer{}, err
	}
	r.Header.Set("Accept-Encoding", "br")
	got, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		return answer{}, err
	}
	body, err := readAll(got)
	if err == nil && got.Header.Get("Content-Encoding") != "br" {
		err = errors.New("GET /login is not compressed")
	}
	a := answer{Header: got.Header, Body: body}
	a.Header.Del("Date") // the bare server's own
	a.Header.Set("Content-Length", fmt.Sprint(len(body)))
	return a, err
}
