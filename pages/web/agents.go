package web

import (
	"strings"
	"sync"

	"portico/portal/signin"
)

// agent is a parsed User-Agent header.
type agent struct {
	Person bool // a person's browser, not a program
	App    signin.ChatApp
}

// Agents caches parsed User-Agent headers: parsing one takes longer than counting a page view.
type Agents struct {
	mu    sync.RWMutex
	known map[string]agent
}

// The limits of the cache.
const (
	maxAgents = 1024 // entries; a full cache is emptied
	maxAgent  = 512  // bytes; a longer header is not cached
)

// Of returns the parsed User-Agent header, from the cache if possible.
func (a *Agents) Of(text string) agent {
	a.mu.RLock()
	known, ok := a.known[text]
	a.mu.RUnlock()
	if ok {
		return known
	}
	read := agent{Person: isBrowser(text), App: signin.ChatAppOf(text)}
	if len(text) > maxAgent {
		return read
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.known == nil || len(a.known) >= maxAgents {
		a.known = map[string]agent{}
	}
	a.known[strings.Clone(text)] = read
	return read
}

// robots are words in the User-Agents of robots. Their case matters: a phone of the brand CUBOT is not a robot.
var robots = []string{"bot", "Bot", "pider", "rawler", "Slurp", "externalhit", "review", "Headless", "Lighthouse"}

// isBrowser reports whether a User-Agent belongs to a person's browser. A program that sends a browser's header passes.
func isBrowser(agent string) bool {
	if !strings.HasPrefix(agent, "Mozilla/") && !strings.HasPrefix(agent, "Opera/") {
		return false
	}
	for _, word := range robots {
		if strings.Contains(agent, word) {
			return false
		}
	}
	return true
}
