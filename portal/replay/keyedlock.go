package replay

import "sync"

// keyedLock lets one at a time do something under a name.
type keyedLock struct {
	mu   sync.Mutex
	held map[string]*heldKey
}

type heldKey struct {
	sync.Mutex
	users int
}

// Hold waits for its turn, and gives what ends it.
func (l *keyedLock) Hold(name string) (release func()) {
	l.mu.Lock()
	if l.held == nil {
		l.held = map[string]*heldKey{}
	}
	key := l.held[name]
	if key == nil {
		key = new(heldKey)
		l.held[name] = key
	}
	key.users++
	l.mu.Unlock()
	key.Lock()
	return func() {
		key.Unlock()
		l.mu.Lock()
		if key.users--; key.users == 0 {
			delete(l.held, name)
		}
		l.mu.Unlock()
	}
}
