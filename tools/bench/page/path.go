package page

import (
	"context"
	"io"
	"net"
	"sync"
	"time"
)

// networkPath is a slow way to a server, in user space: round trips, a link shared by all connections, the handshakes
// of TCP and TLS 1.3, and slow start, which the throttling of a browser leaves out. Nothing is lost and no
// queue is full; the window doubles in each round trip.
type networkPath struct {
	rtt      time.Duration
	down, up float64 // bits a second
}

const (
	segment    = 1460
	headers    = 40 // of TCP and IP, on each segment
	firstFew   = 10 // segments in the first window
	handshakes = 2  // round trips before the first request: TCP, TLS
)

// listen opens the path to a server until the context ends, and returns the address of its near end.
func (p networkPath) listen(ctx context.Context, to string) (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	context.AfterFunc(ctx, func() { _ = listener.Close() })
	down, up := &link{speed: p.down}, &link{speed: p.up}
	go func() {
		for {
			near, err := listener.Accept()
			if err != nil {
				return
			}
			go p.forward(near, to, down, up)
		}
	}()
	return listener.Addr().String(), nil
}

// forward is one connection over the path.
func (p networkPath) forward(near net.Conn, to string, down, up *link) {
	ready := time.Now().Add(handshakes * p.rtt)
	far, err := net.Dial("tcp", to)
	if err != nil {
		_ = near.Close()
		return
	}
	defer func() { _, _ = near.Close(), far.Close() }()
	var both sync.WaitGroup
	both.Go(func() {
		time.Sleep(time.Until(ready))
		p.send(far, near, up, nil)
	})
	both.Go(func() { p.send(near, far, down, newWindow()) })
	both.Wait()
}

// send carries one direction, segment by segment.
func (p networkPath) send(to, from net.Conn, over *link, w *window) {
	type flight struct {
		lands time.Time
		bytes []byte
	}
	flights := make(chan flight, 1<<16)
	var landed sync.WaitGroup
	landed.Go(func() {
		for f := range flights {
			time.Sleep(time.Until(f.lands))
			_, _ = to.Write(f.bytes) // bytes that cannot be delivered are dropped, as in a network
		}
		_ = to.(*net.TCPConn).CloseWrite()
	})
	for {
		b := make([]byte, segment)
		n, err := from.Read(b)
		if n > 0 {
			w.reserve(n)
			lands := over.reserve(n).Add(p.rtt / 2)
			flights <- flight{lands, b[:n]}
			time.AfterFunc(time.Until(lands.Add(p.rtt/2)), func() { w.acknowledge(n) })
		}
		if err != nil {
			break
		}
	}
	close(flights)
	landed.Wait()
	_, _ = io.Copy(io.Discard, from)
}

// link sends one segment after the other.
type link struct {
	mu    sync.Mutex
	free  time.Time
	speed float64 // bits a second
}

// reserve reserves the link for a segment and returns when its last bit has left.
func (l *link) reserve(payload int) time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	if now := time.Now(); l.free.Before(now) {
		l.free = now
	}
	l.free = l.free.Add(time.Duration(float64(payload+headers) * 8 / l.speed * float64(time.Second)))
	return l.free
}

// window is how much may be on its way unacknowledged. A nil window never closes.
type window struct {
	mu         sync.Mutex
	wider      *sync.Cond
	size, used int
}

func newWindow() *window {
	w := &window{size: firstFew * segment}
	w.wider = sync.NewCond(&w.mu)
	return w
}

func (w *window) reserve(n int) {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for w.used+n > w.size {
		w.wider.Wait()
	}
	w.used += n
}

// acknowledge frees the bytes that arrived and widens the window by as many: slow start.
func (w *window) acknowledge(n int) {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.used -= n
	w.size += n
	w.wider.Signal()
}
