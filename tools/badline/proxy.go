// Package badline has a proxy that simulates a bad connection, and tests that run the program behind it. They check
// that no request is lost, done twice, or done for the wrong person or company.
package badline

import (
	"bufio"
	"bytes"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"sync"
	"time"
)

const (
	maxConnections = 64               // handled at the same time; more wait
	maxRequest     = 16 << 20         // bytes of one request
	connectionLife = 60 * time.Second // a connection is closed after this, whatever it waits for
)

// Fault says what the proxy does to one request.
type Fault int

// The faults.
const (
	None       Fault = iota
	LoseAnswer       // waits for the server's whole response, then closes the client's connection
	CutRequest       // delivers the first half of the request's body, then closes both connections
	Twice            // delivers the request twice at once, and returns the response that comes last
	CutAfter         // delivers the request and closes both connections after Rule.After
	Delay            // waits for Rule.After, then delivers the request
)

// Rule applies a fault to the requests that match.
type Rule struct {
	Match func(*http.Request) bool // nil: every request
	Fault Fault
	After time.Duration // for CutAfter and Delay
	Times int           // how many requests get the fault; 0 means one
}

// Proxy forwards HTTP/1.1 requests to one address and applies faults to those that a rule matches. A connection carries
// one request. The proxy listens on the loopback interface only.
type Proxy struct {
	target   string
	listener net.Listener
	slots    chan struct{} // limits the connections that are handled at the same time
	running  sync.WaitGroup

	mu     sync.Mutex
	rules  []Rule
	random *rand.Rand
	share  float64
	hit    int
	seen   int
	open   map[net.Conn]bool
	closed bool
}

// Start starts a proxy for the target, "host:port". Close stops it.
func Start(target string) (*Proxy, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &Proxy{target: target, listener: listener, slots: make(chan struct{}, maxConnections),
		open: map[net.Conn]bool{}}
	p.running.Go(p.accept)
	return p, nil
}

// Address returns the address for clients, "127.0.0.1:port".
func (p *Proxy) Address() string { return p.listener.Addr().String() }

// Add adds a rule after the others. The first rule that matches a request is applied.
func (p *Proxy) Add(r Rule) {
	if r.Times == 0 {
		r.Times = 1
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rules = append(p.rules, r)
}

// LoseAtRandom loses a share of all responses, between 0 and 1, from now on. The same seed and the same sequence of
// requests lose the same responses.
func (p *Proxy) LoseAtRandom(share float64, seed uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.share, p.random = share, rand.New(rand.NewPCG(seed, 30))
}

// Hits returns how many requests got a fault, and how many requests there were.
func (p *Proxy) Hits() (hits, seen int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.hit, p.seen
}

// Close stops the proxy and closes its connections.
func (p *Proxy) Close() {
	_ = p.listener.Close()
	p.mu.Lock()
	p.closed = true
	for c := range p.open {
		_ = c.Close()
	}
	p.mu.Unlock()
	p.running.Wait()
}

// accept serves connections until the proxy is closed.
func (p *Proxy) accept() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		p.slots <- struct{}{}
		p.running.Go(func() {
			defer func() { <-p.slots }()
			p.serve(client)
		})
	}
}

// track registers a connection so that Close can close it. It returns false if the proxy is closed already.
func (p *Proxy) track(c net.Conn) bool {
	_ = c.SetDeadline(time.Now().Add(connectionLife))
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.closed {
		p.open[c] = true
	}
	return !p.closed
}

// release closes a connection and forgets it.
func (p *Proxy) release(c net.Conn) {
	_ = c.Close()
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.open, c)
}

// rule returns the rule for a request and counts it as used.
func (p *Proxy) rule(r *http.Request) Rule {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.seen++
	for i := range p.rules {
		if rule := &p.rules[i]; rule.Times > 0 && (rule.Match == nil || rule.Match(r)) {
			rule.Times--
			p.hit++
			return *rule
		}
	}
	if p.random != nil && p.random.Float64() < p.share {
		p.hit++
		return Rule{Fault: LoseAnswer}
	}
	return Rule{}
}

// serve forwards the one request of a connection.
func (p *Proxy) serve(client net.Conn) {
	defer p.release(client)
	if !p.track(client) {
		return
	}
	var raw bytes.Buffer
	request, err := http.ReadRequest(bufio.NewReader(io.TeeReader(io.LimitReader(client, maxRequest), &raw)))
	if err != nil {
		return
	}
	if _, err := io.Copy(io.Discard, request.Body); err != nil || request.Method == http.MethodConnect {
		return
	}
	sent := askToClose(raw.Bytes(), request)
	rule := p.rule(request)
	switch rule.Fault {
	case LoseAnswer:
		_, _ = p.deliver(sent)
		return
	case CutRequest:
		p.cut(sent[:half(sent, request)], 0)
		return
	case CutAfter:
		p.cut(sent, rule.After)
		return
	case Delay:
		time.Sleep(rule.After)
	case Twice:
		p.twice(client, sent)
		return
	}
	if answer, err := p.deliver(sent); err == nil {
		_, _ = client.Write(answer)
	}
}

// half returns the position at which a request is cut: the middle of its body, or of its header without a body.
func half(sent []byte, request *http.Request) int {
	if body := int(request.ContentLength); body > 0 {
		return len(sent) - (body+1)/2
	}
	return len(sent) / 2
}

// askToClose adds a header that asks the server to close the connection after its response, so that the response ends
// with the connection. A browser that uses a proxy sends absolute addresses; askToClose leaves only the path.
func askToClose(raw []byte, request *http.Request) []byte {
	_, rest, _ := bytes.Cut(raw, []byte("\r\n"))
	line := request.Method + " " + request.URL.RequestURI() + " " + request.Proto
	return bytes.Join([][]byte{[]byte(line), []byte("Connection: close"), rest}, []byte("\r\n"))
}

// dial connects to the server.
func (p *Proxy) dial() (net.Conn, error) {
	server, err := net.Dial("tcp", p.target)
	if err != nil {
		return nil, err
	}
	if !p.track(server) {
		p.release(server)
		return nil, net.ErrClosed
	}
	return server, nil
}

// deliver sends a request and returns the whole response.
func (p *Proxy) deliver(request []byte) ([]byte, error) {
	server, err := p.dial()
	if err != nil {
		return nil, err
	}
	defer p.release(server)
	if _, err := server.Write(request); err != nil {
		return nil, err
	}
	return io.ReadAll(server)
}

// cut sends bytes and closes the connection after a while, like a connection that breaks.
func (p *Proxy) cut(request []byte, after time.Duration) {
	server, err := p.dial()
	if err != nil {
		return
	}
	defer p.release(server)
	if _, err := server.Write(request); err == nil {
		time.Sleep(after)
	}
}

// twice delivers a request twice at once. The client gets the response that comes last, like a browser after a double
// tap.
func (p *Proxy) twice(client net.Conn, request []byte) {
	var both sync.WaitGroup
	var mu sync.Mutex
	var last []byte
	for range 2 {
		both.Go(func() {
			if answer, err := p.deliver(request); err == nil {
				mu.Lock()
				defer mu.Unlock()
				last = answer
			}
		})
	}
	both.Wait()
	_, _ = client.Write(last)
}
