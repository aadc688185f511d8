package chatapps_test

import (
	"portico/portal/portaltest"
	"portico/store"
)

func Instant(p *portaltest.Chatter) store.Instant { return store.At(p.Clock.Now()) }
