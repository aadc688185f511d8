package portal

import (
	"context"

	"portico/portal/core"
	"portico/store"
)

// Start loads the signatures that are still valid from before a restart, and stores page views until the context ends.
// main calls it before serving requests.
func (p *Portal) Start(ctx context.Context) error {
	if err := p.Chatapps.FindLostCredentials(ctx); err != nil {
		return err
	}
	known, err := p.DB.Signatures.Unexpired(ctx, store.At(p.Now()), core.SignaturesHeld/2)
	if err != nil {
		return err
	}
	for _, s := range known {
		p.Replay.Replays.Own.Add(core.IDOf(s.ID), p.Replay.Replays.PathHash(s.Path), p.Now())
	}
	go p.Statistics.KeepWritingViews(ctx)
	return nil
}

// Stop stores the signatures and page views that are only in memory and waits for messages that are being sent. main
// calls it last.
func (p *Portal) Stop(ctx context.Context) {
	p.Replay.StorePendingReads(ctx)
	p.Statistics.NoteViews(ctx)
	p.Running.Wait()
}
