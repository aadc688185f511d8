package portaltest

import (
	"portico/portal/access"
)

// Administrator returns the landing of the administrator of company 1001.
func (p *Platform) Administrator() access.Landing {
	p.T.Helper()
	return p.LandingFor(p.Account("jinsui"))
}
