package portal

import "encoding/json"

// seenTag is a short hash of the values a form shows. The form sends it back, so that a change that somebody else
// made in the meantime is noticed.
func seenTag(values any) string {
	text, _ := json.Marshal(values) // strings, numbers and booleans
	return hashed(string(text))[:16]
}
