package web

// Choice is one option of a group of check boxes, radio buttons or links.
type Choice struct {
	Value, Label string
	Chosen       bool
}

// Chip is a short label with a state. Kind is "ok", "warn", "bad" or "".
type Chip struct{ Kind, Text string }
