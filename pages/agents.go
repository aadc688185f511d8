package pages

import (
	"strings"
	"sync"

	"portico/portal/chatapps"
)

// agent is what a User-Agent says.
type agent struct {
	person bool // a browser, not a program
	mobile bool
	app    chatapps.ChatApp
}

// agents remembers what those that come often say: reading one takes longer than counting a view.
type agents struct {
	mu    sync.RWMutex
	known map[string]agent
}

const (
	maxAgents = 1024 // remembered at once; then all are forgotten
	maxAgent  = 512  // bytes of one that is remembered
)

func (a *agents) of(text string) agent {
	a.mu.RLock()
	known, ok := a.known[text]
	a.mu.RUnlock()
	if ok {
		return known
	}
	read := agent{person: byPerson(text), mobile: mobileAgent(text), app: chatapps.ChatAppOf(text)}
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

// robots are words of robots' User-Agents in the spelling they use: a phone of the brand CUBOT is none.
var robots = []string{"bot", "Bot", "pider", "rawler", "Slurp", "externalhit", "review", "Headless", "Lighthouse"}

// byPerson tells browsers from programs by their User-Agent, as far as programs say what they are.
func byPerson(agent string) bool {
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
