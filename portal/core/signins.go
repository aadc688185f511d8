package core

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"portico/portal/access"
	"portico/store"
)

// The prefixes of the names under which sign-ins are counted, beside the names of pages.
const (
	signInPrefix  = "sign-in:"
	refusedPrefix = "refused:"
)

// SignInDays is how many days of sign-ins the overview of a company shows, today the last of them.
const SignInDays = 14

// SignInWays are the ways to sign in, in the order in which pages show equal counts.
var SignInWays = []string{access.ByPassword, access.ByCode, string(access.WeChat), string(access.WeCom)}

// SignInFailure is why a sign-in was refused, as a company learns it.
type SignInFailure string

// The failures of sign-ins.
const (
	FailedPassword SignInFailure = "password" // wrong, or none was set
	FailedCode     SignInFailure = "code"     // wrong, expired or used
	FailedUnknown  SignInFailure = "unknown"  // at the company's own sign-in page, by a person without an account there
	FailedWaiting  SignInFailure = "waiting"  // too many attempts
	FailedBlocked  SignInFailure = "blocked"  // the account, the customer or the company is blocked
)

// SignInFailures are all failures, in the order in which pages show equal counts.
var SignInFailures = []SignInFailure{FailedPassword, FailedCode, FailedUnknown, FailedWaiting, FailedBlocked}

// failureOf says which failure a refusal is. It returns "" for what is no failed sign-in: malformed fields, and an
// applicant who learns where the application stands.
func failureOf(refusal error) SignInFailure {
	var is access.Refusal
	if !errors.As(refusal, &is) {
		return ""
	}
	switch is {
	case access.WrongPassword, access.PasswordNotSet:
		return FailedPassword
	case access.CodeWrong, access.CodeExpired:
		return FailedCode
	case access.PhoneNotBound, access.AccountNotFound, access.NotInCompany:
		return FailedUnknown
	case access.TooManyAttempts:
		return FailedWaiting
	case access.AccountDisabled, access.PartnerEnded, access.CompanyDisabled, access.CompanyExpired, access.TrialEnded,
		access.ShopDisabled, access.LightingNotEnabled, access.MallNotOpen, access.WeChatManagerClosed:
		return FailedBlocked
	}
	return ""
}

// CountSignIn counts in memory a sign-in by one of SignInWays, once for each of the companies. Nothing about the person
// is kept.
func (s *Statistics) CountSignIn(way string, companyIDs []int64) {
	s.countNamed(signInPrefix+way, companyIDs)
}

// CountFailedSignIn does what CountSignIn does for a sign-in that was refused.
func (s *Statistics) CountFailedSignIn(refusal error, companyIDs []int64) {
	if failure := failureOf(refusal); failure != "" {
		s.countNamed(refusedPrefix+string(failure), companyIDs)
	}
}

func (s *Statistics) countNamed(name string, companyIDs []int64) {
	for i, id := range companyIDs {
		if !slices.Contains(companyIDs[:i], id) {
			s.Views.add(store.ViewKey{CompanyID: id, Day: s.Today(), Page: name})
		}
	}
}

// isPage says whether a stored name is that of a page, not of a menu entry or a sign-in.
func isPage(name string) bool { return !strings.Contains(name, ":") }

// SignInDay is the number of sign-ins on a day and of those that were refused. Day is its noon.
type SignInDay struct {
	Day              time.Time
	SignIns, Refused int64
}

// WayCount is the number of sign-ins by one of SignInWays.
type WayCount struct {
	Way   string
	Count int64
}

// FailureCount is how often sign-ins failed for one reason.
type FailureCount struct {
	Failure SignInFailure
	Count   int64
}

// SignIns are the sign-ins of the people who can enter a company in the last SignInDays days. Ways and Failures have
// what happened, the most frequent first.
type SignIns struct {
	Total, Refused int64
	Days           []SignInDay
	Ways           []WayCount
	Failures       []FailureCount
}

// SignInsOf reads the sign-ins of a company.
func (s *Statistics) SignInsOf(ctx context.Context, companyID int64) (SignIns, error) {
	from := s.firstDay(SignInDays)
	counted, err := s.core.DB.ForLists(ctx).Reports.SignInCounts(ctx, companyID, from, signInPrefix, refusedPrefix)
	if err != nil {
		return SignIns{}, err
	}
	all := SignIns{Days: make([]SignInDay, SignInDays)}
	for i := range all.Days {
		all.Days[i].Day = (from + store.Day(i)).In(access.CompanyDay)
	}
	ways, failures := map[string]int64{}, map[SignInFailure]int64{}
	for _, c := range counted {
		if c.Day > s.Today() { // counted by a clock that is ahead
			continue
		}
		day := &all.Days[c.Day-from]
		if way, ok := strings.CutPrefix(c.Page, signInPrefix); ok {
			ways[way] += c.Views
			day.SignIns += c.Views
			all.Total += c.Views
		} else {
			failures[SignInFailure(strings.TrimPrefix(c.Page, refusedPrefix))] += c.Views
			day.Refused += c.Views
			all.Refused += c.Views
		}
	}
	for _, way := range SignInWays {
		if ways[way] > 0 {
			all.Ways = append(all.Ways, WayCount{way, ways[way]})
		}
	}
	for _, failure := range SignInFailures {
		if failures[failure] > 0 {
			all.Failures = append(all.Failures, FailureCount{failure, failures[failure]})
		}
	}
	slices.SortStableFunc(all.Ways, func(a, b WayCount) int { return cmp.Compare(b.Count, a.Count) })
	slices.SortStableFunc(all.Failures, func(a, b FailureCount) int { return cmp.Compare(b.Count, a.Count) })
	return all, nil
}
