package pages

import (
	"container/list"
	"context"
	"errors"
	"sync"
	"time"

	"portico/assets"
)

const (
	// SignInPagesSize is how many bytes of memory sign-in pages may take, whatever hosts are asked for.
	SignInPagesSize = 8 << 20
	// PageOverhead is what a page takes beside its body, in bytes: its headers, its key and its place in the lists.
	PageOverhead = 2 << 10
	// ProtectedShare is how many percent of SignInPagesSize may go to pages that were asked for again.
	ProtectedShare = 80
	// PagesToCompress is how many pages may wait to be compressed to their smallest form. When the queue is full, a
	// page is queued at its next request instead.
	PagesToCompress = 256
	// CompressPause is the pause after a page was compressed to its smallest form, which takes about 25 ms of processor
	// time.
	CompressPause = 500 * time.Millisecond
)

// pageCache holds pages within a number of bytes. It is a segmented LRU cache: a new page is on probation, and is
// protected from its second request on. To make room, the cache removes the page on probation whose last request is the
// oldest. So a flood of pages that are asked for once pushes out no page that is asked for often.
type pageCache struct {
	mu             sync.Mutex
	most           int                       // bytes
	held           map[pageKey]*list.Element // of *heldPage, in one of the lists
	probation      *list.List                // the page that was asked for last is in front
	protected      *list.List
	bytes          int // of all pages
	protectedBytes int
	rendering      map[pageKey]*pageRendering
	toCompress     chan pageKey
}

type heldPage struct {
	key       pageKey
	page      *cachedPage
	protected bool
	smallest  bool // the page has its smallest form, or waits for it in toCompress
}

type pageRendering struct {
	done chan struct{} // closed when page and err are set
	page *cachedPage
	err  error
}

func newPageCache(most int) *pageCache {
	return &pageCache{
		most: most, held: map[pageKey]*list.Element{}, probation: list.New(), protected: list.New(),
		rendering: map[pageKey]*pageRendering{}, toCompress: make(chan pageKey, PagesToCompress),
	}
}

var errNotRendered = errors.New("pages: rendering a page for the cache panicked")

// get returns the page of a key, and renders it when it is not held. Requests for a page that is being rendered wait
// for it.
func (c *pageCache) get(key pageKey, render func() (*cachedPage, error)) (*cachedPage, error) {
	c.mu.Lock()
	if place := c.held[key]; place != nil {
		defer c.mu.Unlock()
		return c.askedAgain(place), nil
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
	own.page, own.err = render()
	return own.page, own.err
}

func (c *pageCache) add(key pageKey, page *cachedPage) {
	c.held[key] = c.probation.PushFront(&heldPage{
		key: key, page: page, smallest: page.encoding != assets.Brotli,
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

// askedAgain protects a page that was asked for again, and queues it to be compressed to its smallest form.
func (c *pageCache) askedAgain(place *list.Element) *cachedPage {
	held := place.Value.(*heldPage)
	if held.protected {
		c.protected.MoveToFront(place)
	} else {
		c.probation.Remove(place)
		c.held[held.key] = c.protected.PushFront(held)
		held.protected, c.protectedBytes = true, c.protectedBytes+held.page.size()
	}
	for c.protectedBytes > c.most/100*ProtectedShare {
		last := c.protected.Remove(c.protected.Back()).(*heldPage)
		c.held[last.key] = c.probation.PushFront(last)
		last.protected, c.protectedBytes = false, c.protectedBytes-last.page.size()
	}
	if !held.smallest {
		select {
		case c.toCompress <- held.key:
			held.smallest = true
		default:
		}
	}
	return held.page
}

func (c *pageCache) remove(place *list.Element) {
	held := place.Value.(*heldPage)
	delete(c.held, held.key)
	c.bytes -= held.page.size()
	if held.protected {
		c.protected.Remove(place)
		c.protectedBytes -= held.page.size()
		return
	}
	c.probation.Remove(place)
}

// compressAskedAgain compresses the pages that were asked for again to their smallest form, one after the other with a
// pause, until the context ends.
func (c *pageCache) compressAskedAgain(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case key := <-c.toCompress:
			c.compress(key)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(CompressPause):
		}
	}
}

// compress replaces a cached page by its smallest form, unless the page is removed meanwhile.
func (c *pageCache) compress(key pageKey) {
	c.mu.Lock()
	place := c.held[key]
	if place == nil {
		c.mu.Unlock()
		return
	}
	held := place.Value.(*heldPage)
	page := held.page
	c.mu.Unlock()

	body, err := assets.Recompress(page.body)
	if err != nil {
		return // does not happen, because CompressQuickly made the body; the page is valid as it is
	}
	smaller := page.withBody(body)

	c.mu.Lock()
	defer c.mu.Unlock()
	if c.held[key] == nil || c.held[key].Value != place.Value {
		return
	}
	held.page, held.smallest = smaller, true
	c.bytes += smaller.size() - page.size()
	if held.protected {
		c.protectedBytes += smaller.size() - page.size()
	}
}
