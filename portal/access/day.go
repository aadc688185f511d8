package access

import "time"

// CompanyDay is where a company's day begins and ends.
var CompanyDay = time.FixedZone("UTC+8", 8*60*60)

// Day is 24 hours.
const Day = 24 * time.Hour

// day reads a day like 2026-11-25 and returns its beginning for the company, the zero time for anything else.
func day(typed string) time.Time {
	t, err := time.ParseInLocation(time.DateOnly, typed, CompanyDay)
	if err != nil || t.Year() <= 0 {
		return time.Time{}
	}
	return t
}
