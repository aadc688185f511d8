package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"portico/store"
	"portico/tools/bench/figures"
	"portico/tools/bench/page"
)

const (
	firstRare     = 200_000 // the id of the first company that is made
	rareCompanies = 6000
	rareInTurn    = 1500 // of them, whose processor time is measured

	hostFloodTurns = 3
	hostFloodLeg   = 4 * time.Second
	hostFloodRate  = 300                   // requests a second
	keptEvery      = 10 * time.Millisecond // between two requests for the kept page
)

// uncachedPages measures what a sign-in page costs that is not in memory, because nobody has visited the company
// before. It also measures what a flood of requests for such companies, and for made-up ones, does to the visitors of
// another company.
func (b *bench) uncachedPages(ctx context.Context) error {
	program, err := b.portico(ctx)
	if err != nil {
		return err
	}
	defer program.stop()
	if err := addCompanies(ctx, program.database()); err != nil {
		return err
	}
	client := newClient()
	defer client.CloseIdleConnections()
	cost, err := program.costOfPages(ctx, client, func(i int64) int64 { return firstRare + i })
	if err != nil {
		return err
	}
	kept, err := program.costOfPages(ctx, client, func(int64) int64 { return firstRare })
	if err != nil {
		return err
	}
	b.table.Add("sign-in pages of 1,500 companies in turn: processor time of each", cost, "ms", figures.AtMost, 2,
		"%.2f ms of a page that is kept", kept)
	return b.hostFlood(ctx, program)
}

func addCompanies(ctx context.Context, path string) error {
	db, err := store.Open(ctx, "sqlite:"+path)
	if err != nil {
		return err
	}
	err = db.Tx(ctx, func(db *store.DB) error {
		for i := range int64(rareCompanies) {
			if _, err := db.Companies.Save(ctx, store.Company{
				ID: firstRare + i, Name: fmt.Sprint("Company ", i), Theme: fmt.Sprintf("%06x", i*7919%0xffffff),
				Language: "es", Standing: store.Formal, Mall: store.MallOpen, CreatedAt: 1, UpdatedAt: 1,
			}); err != nil {
				return err
			}
		}
		return nil
	})
	return errors.Join(err, db.Close())
}

// costOfPages asks for the sign-in pages of rareInTurn companies and returns the processor time of each, in ms.
func (p *process) costOfPages(ctx context.Context, client client, company func(i int64) int64) (float64, error) {
	before, err := p.cpu()
	if err != nil {
		return 0, err
	}
	for i := range int64(rareInTurn) {
		if _, err := p.signInPage(ctx, client, company(i)); err != nil {
			return 0, err
		}
	}
	after, err := p.cpu()
	return (after - before).Seconds() * 1000 / rareInTurn, err
}

// signInPage asks for the sign-in page of a company as a new visitor's browser does.
func (p *process) signInPage(ctx context.Context, client client, company int64) (took time.Duration, err error) {
	u, err := url.Parse(p.url)
	if err != nil {
		return 0, err
	}
	began := time.Now()
	headers := map[string]string{
		"Host":       fmt.Sprintf("store%d.localhost:%s", company, u.Port()),
		"User-Agent": page.PhoneAgent, "Sec-Fetch-Dest": "document",
	}
	status, _, err := client.do(ctx, "GET", p.url+"/login", "", "", headers)
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("the sign-in page of company %d answers %d", company, status)
	}
	return time.Since(began), err
}

// hostFlood compares how soon the visitors of one company get its page without and with a flood of requests for other
// companies, half of which do not exist.
func (b *bench) hostFlood(ctx context.Context, program *process) error {
	var alone, flooded []float64
	next := new(atomic.Int64)
	for range hostFloodTurns {
		times, err := program.timePages(ctx)
		if err != nil {
			return err
		}
		alone = append(alone, figures.Percentile(times, 95))
		flooding, stop := context.WithCancel(ctx)
		failed := make(chan error, 1)
		go func() { failed <- program.flood(flooding, next) }()
		times, err = program.timePages(ctx)
		stop()
		if err := errors.Join(err, <-failed); err != nil {
			return err
		}
		flooded = append(flooded, figures.Percentile(times, 95))
	}
	b.table.Add(
		"kept sign-in page: 95 % in, with a flood of other hosts against without", figures.Ratio(flooded, alone), "",
		figures.AtMost, 2, "%.2f against %.2f ms; %d requests of the flood", figures.Median(flooded),
		figures.Median(alone), next.Load(),
	)
	return nil
}

// timePages asks for the page of one company for a while and returns how long each answer took, in ms.
func (p *process) timePages(ctx context.Context) (times []float64, err error) {
	client := newClient()
	defer client.CloseIdleConnections()
	for over := time.Now().Add(hostFloodLeg); time.Now().Before(over); time.Sleep(keptEvery) {
		took, err := p.signInPage(ctx, client, firstRare)
		if err != nil {
			return nil, err
		}
		times = append(times, took.Seconds()*1000)
	}
	return times, nil
}

// flood asks for the page of another company hostFloodRate times a second, until the context ends.
func (p *process) flood(ctx context.Context, next *atomic.Int64) error {
	client := newClient()
	defer client.CloseIdleConnections()
	var all sync.WaitGroup
	var failed atomic.Int64
	ticker := time.NewTicker(time.Second / hostFloodRate)
	defer ticker.Stop()
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-ticker.C:
			all.Go(func() {
				i := next.Add(1)
				company := firstRare + rareInTurn + i/2%(rareCompanies-rareInTurn)
				if i%2 == 0 {
					company += rareCompanies // which does not exist
				}
				if _, err := p.signInPage(ctx, client, company); err != nil && ctx.Err() == nil {
					failed.Add(1)
				}
			})
		}
	}
	all.Wait()
	if n := failed.Load(); n > 0 {
		return fmt.Errorf("%d requests of the flood failed", n)
	}
	return nil
}
