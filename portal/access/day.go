package access

import "time"

// CompanyDay is where a company's day begins and ends.
var CompanyDay = time.FixedZone("UTC+8", 8*60*60)

// Day is 24 hours.
const Day = 24 * time.Hour
