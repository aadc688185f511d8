package chatapps_test

import (
	"portico/portal/portaltest/chattest"
	"portico/store"
)

func Instant(p *chattest.ChatPlatform) store.Instant { return store.At(p.Clock.Now()) }
