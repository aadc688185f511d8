package pages

// chip is a short label with a state. Kind is "ok", "warn", "bad" or "".
type chip struct{ Kind, Text string }
