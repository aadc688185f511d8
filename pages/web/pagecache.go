package web

import (
	"container/list"
	"context"
	"errors"
	"net/http"
	"runtime"
	"strconv"
	"sync"
	"time"

	"portico/assets"
	"portico/locale"
	"portico/store"
)

const (
	// SignInPagesSize is how many bytes of memory sign-in pages may take, however many hosts are requested.
	SignInPagesSize = 8 << 20
	// PageOverhead is what a page takes beside its body, in bytes: its headers, its key and its place in the lists.
	PageOverhead = 2 << 10
	// ProtectedShare is how many percent of SignInPagesSize may be used by pages that were requested again.
	ProtectedShare = 80
	// PagesToCompress is how many pages may wait to be compressed to their smallest form. When the queue is full, a
	// page is queued at its next request instead.
	PagesToCompress = 256
	// CompressPause is the pause after a page was compressed to its smallest form, which takes about 25 ms of processor
	// time.
	CompressPause = 500 * time.Millisecond
)

// PageCache holds pages within a number of bytes. It is a segmented LRU cache: a new page is on probation, and is
// protected from its second request on. To make room, the cache removes the page on probation whose last request is the
// oldest. So a flood of pages that are requested once does not push out a page that is requested often.
type PageCache struct {
	mu             sync.Mutex
	most           int                       // bytes
	held           map[PageKey]*list.Element // of *heldPage, in one of the lists
	probation      *list.List                // the page that was requested last is in front
	protected      *list.List
	bytes          int // of all pages
	protectedBytes int
	rendering      map[PageKey]*pageRendering
	toCompress     chan PageKey
	cores          chan struct{} // that pages are rendered on
}

// heldPage is a page in the cache, with its place in the queue of pages to compress.
type heldPage struct {
	key       PageKey
	page      *CachedPage
	protected bool
	smallest  bool // the page has its smallest form, or waits for it in toCompress
}

// pageRendering is a page that one request renders and other requests wait for.
type pageRendering struct {
	done chan struct{} // closed when page and err are set
	page *CachedPage
	err  error
}

// NewPageCache returns an empty cache that holds at most most bytes. It renders pages on half of the cores, so that a
// flood of hosts whose pages are not cached leaves the others to those that are.
func NewPageCache(most int) *PageCache {
	return &PageCache{
		most: most, held: map[PageKey]*list.Element{}, probation: list.New(), protected: list.New(),
		rendering: map[PageKey]*pageRendering{}, toCompress: make(chan PageKey, PagesToCompress),
		cores: make(chan struct{}, max(1, runtime.GOMAXPROCS(0)/2)),
	}
}

// errNotRendered is what waiting requests get when rendering the page panicked.
var errNotRendered = errors.New("pages: rendering a page for the cache panicked")

// Get returns the page of a key, and renders it when it is not cached. Requests for a page that is being rendered wait
// for it.
func (c *PageCache) Get(key PageKey, render func() (*CachedPage, error)) (*CachedPage, error) {
	c.mu.Lock()
	if place := c.held[key]; place != nil {
		defer c.mu.Unlock()
		return c.promote(place), nil
	}
	if other := c.rendering[key]; other != nil {
		c.mu.Unlock()
		<-other.done
		return other.page, other.err
	}
	own := &pageRendering{done: make(chan struct{}), err: errNotRendered}
	c.rendering[key] = own
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.rendering, key)
		if own.err == nil {
			c.add(key, own.page)
		}
		close(own.done)
	}()
	c.cores <- struct{}{}
	defer func() { <-c.cores }()
	own.page, own.err = render()
	return own.page, own.err
}

// add puts a rendered page on probation and removes pages until the cache is within its limit. The caller locks c.mu.
func (c *PageCache) add(key PageKey, page *CachedPage) {
	c.held[key] = c.probation.PushFront(&heldPage{
		key: key, page: page, smallest: page.Encoding != assets.Brotli,
	})
	c.bytes += page.size()
	for c.bytes > c.most {
		last := c.probation.Back()
		if last == nil {
			last = c.protected.Back()
		}
		c.remove(last)
	}
}

// promote protects a page that was requested again, and queues it to be compressed to its smallest form.
func (c *PageCache) promote(place *list.Element) *CachedPage {
	entry := place.Value.(*heldPage)
	if entry.protected {
		c.protected.MoveToFront(place)
	} else {
		c.probation.Remove(place)
		c.held[entry.key] = c.protected.PushFront(entry)
		entry.protected, c.protectedBytes = true, c.protectedBytes+entry.page.size()
	}
	for c.protectedBytes > c.most/100*ProtectedShare {
		last := c.protected.Remove(c.protected.Back()).(*heldPage)
		c.held[last.key] = c.probation.PushFront(last)
		last.protected, c.protectedBytes = false, c.protectedBytes-last.page.size()
	}
	if !entry.smallest {
		select {
		case c.toCompress <- entry.key:
			entry.smallest = true
		default:
		}
	}
	return entry.page
}

// remove removes an entry from the cache. The caller locks c.mu.
func (c *PageCache) remove(place *list.Element) {
	entry := place.Value.(*heldPage)
	delete(c.held, entry.key)
	c.bytes -= entry.page.size()
	if entry.protected {
		c.protected.Remove(place)
		c.protectedBytes -= entry.page.size()
		return
	}
	c.probation.Remove(place)
}

// CompressAskedAgain compresses the pages that were requested again to their smallest form, one after the other with a
// pause, until the context ends.
func (c *PageCache) CompressAskedAgain(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case key := <-c.toCompress:
			c.Compress(key)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(CompressPause):
		}
	}
}

// Compress replaces a cached page by its smallest form, unless the page is removed meanwhile.
func (c *PageCache) Compress(key PageKey) {
	c.mu.Lock()
	place := c.held[key]
	if place == nil {
		c.mu.Unlock()
		return
	}
	entry := place.Value.(*heldPage)
	page := entry.page
	c.mu.Unlock()

	body, err := assets.Recompress(page.body)
	if err != nil {
		return // does not happen, because CompressQuickly made the body; the page is valid as it is
	}
	smaller := page.WithBody(body)

	c.mu.Lock()
	defer c.mu.Unlock()
	if c.held[key] == nil || c.held[key].Value != place.Value {
		return
	}
	entry.page, entry.smallest = smaller, true
	c.bytes += smaller.size() - page.size()
	if entry.protected {
		c.protectedBytes += smaller.size() - page.size()
	}
}

// Count returns how many pages are cached for each company, and their bytes.
func (c *PageCache) Count() (pages map[int64]int, bytes int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	pages = map[int64]int{}
	for key := range c.held {
		pages[key.Company]++
	}
	return pages, c.bytes
}

// Limit sets how many bytes of pages are cached, and returns the previous limit.
func (c *PageCache) Limit(most int) (before int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	before, c.most = c.most, most
	return before
}

// CompressNext compresses the page that waits longest as much as possible. It reports whether there was one.
func (c *PageCache) CompressNext() bool {
	select {
	case key := <-c.toCompress:
		c.Compress(key)
		return true
	default:
		return false
	}
}

// The sign-in page of a new visitor is the product's busiest page, and nothing in it belongs to one visitor. It is
// rendered and compressed once for each company, language, version and encoding, and then served from memory. At first
// it is compressed quickly. When it is requested again, it is compressed as much as possible in the background.

// PageKey names a cached page: everything that makes it differ from others.
type PageKey struct {
	Path        string
	Company     int64
	Version     store.Instant
	Lang        locale.Lang
	Linked      bool   // the style sheet is linked, not inside the page
	Origin      string // public origin in the metadata; "" for a page without metadata, which browsers do not need
	LangAsked   bool   // the address asks for the language, as the metadata says; false without metadata
	ChatMethods string // names of the chat apps that the page offers, see signin.MethodNames
	Encoding    string
}

// CachedPage is a stored answer. It never changes, and requests share it.
type CachedPage struct {
	body     []byte
	Encoding string
	Etag     string
	Headers  http.Header
	length   []string // the Content-Length
	Cookie   []string // the Set-Cookie that records that the browser has the style sheet; nil when it is linked
}

// size returns how much memory the page takes in the cache, in bytes.
func (c *CachedPage) size() int { return len(c.body) + PageOverhead }

// WithBody returns the same page with a body that is compressed in another way.
func (c *CachedPage) WithBody(body []byte) *CachedPage {
	other := *c
	other.body, other.length = body, []string{strconv.Itoa(len(body))}
	return &other
}

// SendHeaders copies the page's headers to the answer.
func (c *CachedPage) SendHeaders(w http.ResponseWriter) {
	h := w.Header()
	for name, value := range c.Headers {
		h[name] = value
	}
}

// Send writes the whole answer.
func (c *CachedPage) Send(w http.ResponseWriter, r *http.Request) {
	c.SendHeaders(w)
	h := w.Header()
	if c.Cookie != nil {
		h["Set-Cookie"] = append(c.Cookie[:1:1], h["Set-Cookie"]...)
	}
	if c.Encoding != assets.Plain {
		h["Content-Encoding"] = encodingHeaders[c.Encoding]
	}
	h["Content-Length"] = c.length
	w.WriteHeader(http.StatusOK)
	if r.Method != http.MethodHead {
		_, _ = w.Write(c.body)
	}
}

// encodingHeaders holds the values of Content-Encoding, allocated once.
var encodingHeaders = map[string][]string{assets.Brotli: {assets.Brotli}, assets.Gzip: {assets.Gzip}}
