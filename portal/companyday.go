package portal

import "time"

// companyDay is where a company's day begins and ends.
var companyDay = time.FixedZone("UTC+8", 8*60*60)
