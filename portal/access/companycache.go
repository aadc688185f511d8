package access

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"time"

	"portico/store"
)

const (
	// CompanyCacheTime is how long a company is cached, so every instance sees a change within this time.
	CompanyCacheTime = time.Second
	// CompaniesCached is how many entries, for an id or a host, each of the cache's two generations holds.
	CompaniesCached = 2048
)

// companyCache remembers for CompanyCacheTime which company has an id or a host, and which ids and hosts have none. It
// has two generations. When the newer one is full or has taken entries for CompanyCacheTime, it becomes the older one,
// and the older one is dropped. An entry that is used moves to the newer one. So a flood of other hosts takes bounded
// memory and pushes out only entries that are not used.
type companyCache struct {
	mu           sync.Mutex
	newer, older map[string]cachedCompany
	begun        time.Time // when the newer generation began
}

type cachedCompany struct {
	company *store.Company // shared, never changed; nil: there is none
	until   time.Time
}

func newCompanyCache() *companyCache { return &companyCache{newer: map[string]cachedCompany{}} }

// ByID returns the company with an id, or store.ErrNotFound. Callers must not change the company.
func (c *companyCache) ByID(ctx context.Context, db *store.DB, id int64, now time.Time) (*store.Company, error) {
	return c.get("#"+strconv.FormatInt(id, 10), now,
		func() (store.Company, error) { return db.Companies.ByID(ctx, id) })
}

func (c *companyCache) byHost(ctx context.Context, db *store.DB, host string, now time.Time) (*store.Company, error) {
	return c.get(host, now, func() (store.Company, error) { return db.Hosts.Company(ctx, host) })
}

func (c *companyCache) get(key string, now time.Time, find func() (store.Company, error)) (*store.Company, error) {
	entry, known := c.cached(key, now)
	if !known {
		company, err := find()
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return nil, err
		}
		entry = cachedCompany{until: now.Add(CompanyCacheTime)}
		if err == nil {
			entry.company = &company
		}
		c.mu.Lock()
		c.keep(key, entry, now)
		c.mu.Unlock()
	}
	if entry.company == nil {
		return nil, store.ErrNotFound
	}
	return entry.company, nil
}

// cached returns an entry that has not expired.
func (c *companyCache) cached(key string, now time.Time) (entry cachedCompany, known bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if entry, known = c.newer[key]; !known {
		if entry, known = c.older[key]; known && now.Before(entry.until) {
			c.keep(key, entry, now)
		}
	}
	return entry, known && now.Before(entry.until)
}

// keep adds an entry to the newer generation. c.mu is held.
func (c *companyCache) keep(key string, entry cachedCompany, now time.Time) {
	if len(c.newer) >= CompaniesCached || now.Sub(c.begun) >= CompanyCacheTime {
		c.older, c.newer = c.newer, map[string]cachedCompany{}
		c.begun = now
	}
	c.newer[key] = entry
}

// Forget empties the cache, so that this instance sees a change at once.
func (c *companyCache) Forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.newer, c.older = map[string]cachedCompany{}, nil
}
