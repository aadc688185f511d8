// Package statistics counts page views and visits for each company and day, without cookies and without naming
// anybody.
package core

import (
	"log/slog"
	"time"

	"portico/portal/access"
	"portico/store"
)

// Statistics counts page views and visits. It is safe for concurrent use.
type Statistics struct {
	db  *store.DB
	now func() time.Time
	log *slog.Logger

	Views    views
	counters []string
}

// NewStatistics makes a Statistics from the settings of the installation and the districts below.
func NewStatistics(
	o access.Platform,
	counters []string,
) *Statistics {
	return &Statistics{
		db:       o.DB,
		now:      o.Now,
		log:      o.Log,
		counters: counters,
	}
}
