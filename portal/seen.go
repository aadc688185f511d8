package portal

import "encoding/json"

// seenTag returns a short hash of the values that a form shows. The form sends it back as "seen", so that the operation
// notices when somebody else has changed the values since.
func seenTag(values any) string {
	text, _ := json.Marshal(values) // strings, numbers and booleans
	return hashed(string(text))[:16]
}
