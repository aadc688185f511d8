package core

import "sync"

// keyedLock has one mutex per name.
type keyedLock struct {
	mu   sync.Mutex
	held map[string]*heldKey
}

type heldKey struct {
	sync.Mutex
	users int
}

// Hold locks a name and returns the function that unlocks it.
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
