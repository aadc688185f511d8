package portaltest

import (
	"portico/portal/access"
)

// Office returns the landing of an account in the back office.
func (p *Platform) Office(login string) access.Landing { return p.LandingFor(p.Account(login)) }
