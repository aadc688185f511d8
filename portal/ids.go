package portal

import "strconv"

func decimal(id int64) string { return strconv.FormatInt(id, 10) }

// DecimalID reads a positive decimal int64 without sign, leading zero or anything else.
func DecimalID(s string) (int64, bool) {
	if s == "" || s[0] == '0' || len(s) > 19 {
		return 0, false
	}
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
	}
	id, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return 0, false
	}
	return id, true
}
