package signin

import (
	"context"
	"time"

	"portico/portal/access"
	"portico/store"
)

// enterable returns the companies of the accounts that can be entered: a sign-in counts at each of them.
func enterable(members []store.Member, lighting bool, now time.Time) (companyIDs []int64) {
	for _, m := range members {
		if access.BlockedBy(m, lighting, now) == "" {
			companyIDs = append(companyIDs, m.CompanyID)
		}
	}
	return companyIDs
}

// companiesOfRefusal returns the companies where a refused sign-in of a proven person counts: that of the sign-in page,
// or else those of the person's accounts.
func companiesOfRefusal(place access.Place, members []store.Member) (companyIDs []int64) {
	if id := place.CompanyID(); id != 0 {
		return []int64{id}
	}
	for _, m := range members {
		companyIDs = append(companyIDs, m.CompanyID)
	}
	return companyIDs
}

// countFailure counts an attempt that was refused before the person was proven, for the company of the sign-in page, or
// else those of the accounts that the attempt was at. phone is the number that was typed, "" for a sign-in by name:
// then the accounts are the candidates. A phone costs one statement, whether or not it is known, so that the time of
// the answer does not tell. When that statement fails, nothing is counted: the person gets the refusal all the same.
func (s *Signin) countFailure(
	ctx context.Context, refusal error, place access.Place, phone string, candidates []access.Subject,
) {
	if place.CompanyID() == 0 && phone != "" {
		if companyIDs, err := s.core.DB.Accounts.CompaniesOfPhone(ctx, phone); err == nil {
			s.core.Statistics.CountFailedSignIn(refusal, companyIDs)
		}
		return
	}
	var named []store.Member
	for _, c := range candidates {
		if c.Member.ID != 0 {
			named = append(named, c.Member)
		}
	}
	s.core.Statistics.CountFailedSignIn(refusal, companiesOfRefusal(place, named))
}
