package core

// Statistics counts page views and visits. It is safe for concurrent use.
type Statistics struct {
	core *Core

	Views    views
	counters []string
}
