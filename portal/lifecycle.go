package portal

import (
	"context"

	"portico/store"
)

// Start loads the signatures that are still valid from before a restart, and stores page views until the context ends.
// main calls it first.
func (p *Portal) Start(ctx context.Context) error {
	if err := p.findLostCredentials(ctx); err != nil {
		return err
	}
	known, err := p.db.Signatures(ctx, store.At(p.now()), SignaturesHeld/2)
	if err != nil {
		return err
	}
	for _, s := range known {
		p.replays.own.add(idOf(s.ID), p.replays.pathHash(s.Path), p.now())
	}
	go p.writeViews(ctx)
	return nil
}

// Stop writes down what is only in memory yet and waits for messages on their way. main calls it last.
func (p *Portal) Stop(ctx context.Context) {
	p.noteNow(ctx)
	p.noteViews(ctx)
	p.running.Wait()
}
