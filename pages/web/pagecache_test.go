package web

import (
	"bytes"
	"context"
	"errors"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"portico/assets"
)

// countingCache is a PageCache that counts how often the page of each company was rendered.
type countingCache struct {
	*PageCache
	rendered map[int64]int
}

// newCountingCache returns a cache of at most so many bytes.
func newCountingCache(most int) countingCache {
	return countingCache{NewPageCache(most), map[int64]int{}}
}

// get returns the page of a company from the cache, or renders one that takes size bytes of memory. It fails the test
// when the cache returns an error.
func (c countingCache) get(t *testing.T, company int64, size int) *CachedPage {
	t.Helper()
	page, err := c.Get(PageKey{Company: company}, func() (*CachedPage, error) {
		c.rendered[company]++
		return (&CachedPage{}).WithBody(make([]byte, size-2048)), nil // its headers take 2 KiB
	})
	if err != nil {
		t.Fatal(err)
	}
	return page
}

func TestFrequentlyRequestedPageStaysInTheCache(t *testing.T) {
	t.Parallel()
	for name, times := range map[string]int{"once each": 1, "twice each": 2} {
		t.Run(name, func(t *testing.T) {
			c := newCountingCache(1_000_000)
			for other := int64(1); other <= 5000; other++ {
				for range times {
					c.get(t, other, 10_000)
				}
				if other%10 == 0 {
					c.get(t, 0, 10_000)
				}
				if c.bytes > 1_000_000 {
					t.Fatalf("%d bytes are stored after %d pages", c.bytes, other)
				}
			}
			if c.rendered[0] != 1 {
				t.Errorf("the page was rendered %d times", c.rendered[0])
			}
			if n := len(c.held); n != 100 {
				t.Errorf("%d pages are stored", n)
			}
		})
	}
}

func TestCacheHasRoomForNewPagesBesideProtectedOnes(t *testing.T) {
	t.Parallel()
	c := newCountingCache(1_000_000)
	for company := range int64(100) {
		c.get(t, company, 10_000)
		c.get(t, company, 10_000)
	}
	if c.protectedBytes != 800_000 || c.bytes != 1_000_000 {
		t.Errorf("%d of %d bytes are protected", c.protectedBytes, c.bytes)
	}
	for company := int64(1000); company < 1020; company++ {
		c.get(t, company, 10_000)
	}
	for company := int64(1000); company < 1020; company++ {
		if c.get(t, company, 10_000); c.rendered[company] != 1 {
			t.Errorf("page %d of 20 new ones was rendered %d times", company-1000, c.rendered[company])
		}
	}
}

func TestPageIsRenderedOnceForConcurrentRequests(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, release := NewPageCache(1_000_000), make(chan bool)
		renders := 0
		got := map[*CachedPage]int{}
		var mu sync.Mutex
		var all sync.WaitGroup
		for range 50 {
			all.Go(func() {
				page, err := c.Get(PageKey{Company: 1}, func() (*CachedPage, error) {
					renders++ // not locked: two renders at a time would be a data race
					<-release
					return &CachedPage{}, nil
				})
				if err != nil {
					t.Error(err)
				}
				mu.Lock()
				defer mu.Unlock()
				got[page]++
			})
		}
		synctest.Wait() // all 50 requests wait
		close(release)
		all.Wait()
		if renders != 1 || len(got) != 1 {
			t.Errorf("%d renders gave %d pages", renders, len(got))
		}
	})
}

// A flood of hosts that nobody has visited must leave a core to the visitors of others.
func TestPagesAreRenderedOnHalfOfTheCores(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, release := NewPageCache(1_000_000), make(chan bool)
		if _, err := c.Get(PageKey{Company: 1}, func() (*CachedPage, error) { return &CachedPage{}, nil }); err != nil {
			t.Fatal(err)
		}
		var rendering, done atomic.Int64
		var all sync.WaitGroup
		for company := range int64(50) {
			all.Go(func() {
				_, err := c.Get(PageKey{Company: 2 + company}, func() (*CachedPage, error) {
					rendering.Add(1)
					defer rendering.Add(-1)
					<-release
					return &CachedPage{}, nil
				})
				if err != nil {
					t.Error(err)
				}
				done.Add(1)
			})
		}
		synctest.Wait()
		if n := rendering.Load(); n != max(1, int64(runtime.GOMAXPROCS(0)/2)) {
			t.Errorf("%d pages are rendered at once", n)
		}
		_, err := c.Get(PageKey{Company: 1}, func() (*CachedPage, error) { return nil, errors.New("rendered again") })
		if err != nil {
			t.Errorf("a page that is kept: %v", err)
		}
		close(release)
		all.Wait()
		if done.Load() != 50 {
			t.Errorf("%d of 50 pages", done.Load())
		}
	})
}

func TestFailedRenderIsRetriedByTheNextRequest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, release, key := NewPageCache(1_000_000), make(chan bool), PageKey{Company: 1}
		var all sync.WaitGroup
		for range 2 {
			all.Go(func() {
				defer func() { _ = recover() }()
				_, err := c.Get(key, func() (*CachedPage, error) {
					<-release
					panic("while rendering")
				})
				if !errors.Is(err, errNotRendered) {
					t.Errorf("the request that waited got %v", err)
				}
			})
		}
		synctest.Wait()
		close(release)
		all.Wait()
		broken := errors.New("broken")
		if _, err := c.Get(key, func() (*CachedPage, error) { return nil, broken }); !errors.Is(err, broken) {
			t.Error(err)
		}
		page, err := c.Get(key, func() (*CachedPage, error) { return &CachedPage{}, nil })
		if page == nil || err != nil {
			t.Error(err)
		}
	})
}

// brotliPage returns a function that renders a text and compresses it quickly.
func brotliPage(text string) func() (*CachedPage, error) {
	return func() (*CachedPage, error) {
		page := &CachedPage{Encoding: assets.Brotli}
		return page.WithBody(assets.CompressQuickly([]byte(text), assets.Brotli)), nil
	}
}

func TestPagesAreCompressedOneByOneUntilTheProgramStops(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("some words, some other words; ", 10) + assets.AccountStyle()[:8000]
	smallest := assets.Compress([]byte(text), assets.Brotli)
	synctest.Test(t, func(t *testing.T) {
		c := NewPageCache(1_000_000)
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan bool)
		go func() {
			c.CompressAskedAgain(ctx)
			close(ended)
		}()
		small := func() (n int) {
			for company := range int64(4) {
				page, err := c.Get(PageKey{Company: company}, brotliPage(text))
				if err != nil {
					t.Fatal(err)
				}
				if bytes.Equal(page.body, smallest) {
					n++
				}
			}
			return n
		}
		small() // every page is rendered
		synctest.Wait()
		if n := small(); n != 0 {
			t.Errorf("%d pages are fully compressed after one request", n)
		}
		for i := range 3 {
			synctest.Wait()
			if n := small(); n != i+1 {
				t.Errorf("after %d pauses %d pages are fully compressed", i, n)
			}
			time.Sleep(499 * time.Millisecond)
			synctest.Wait()
			if n := small(); n != i+1 {
				t.Errorf("before the end of pause %d, %d pages are fully compressed", i+1, n)
			}
			time.Sleep(time.Millisecond)
		}
		stop()
		<-ended
		total, protected := 0, 0
		for _, place := range c.held {
			held := place.Value.(*heldPage)
			if total += held.page.size(); held.protected {
				protected += held.page.size()
			}
		}
		if c.bytes != total || c.protectedBytes != protected {
			t.Errorf("%d and %d bytes are counted, %d and %d are stored", c.bytes, c.protectedBytes, total, protected)
		}
	})
}

func TestQueueOfPagesToCompressIsBounded(t *testing.T) {
	t.Parallel()
	c := NewPageCache(SignInPagesSize)
	again := func() {
		for company := range int64(300) {
			if _, err := c.Get(PageKey{Company: company}, brotliPage("a page")); err != nil {
				t.Fatal(err)
			}
		}
	}
	again()
	if n := len(c.toCompress); n != 0 {
		t.Errorf("%d pages wait after one request", n)
	}
	again()
	if n := len(c.toCompress); n != 256 {
		t.Fatalf("%d pages wait", n)
	}
	for range 256 {
		c.Compress(<-c.toCompress)
	}
	again()
	if n := len(c.toCompress); n != 44 {
		t.Errorf("%d pages wait that had no room in the queue before", n)
	}
}

func TestRemovedPageIsNotCompressed(t *testing.T) {
	t.Parallel()
	c, key := NewPageCache(10_000), PageKey{Company: 1}
	for range 2 {
		if _, err := c.Get(key, brotliPage("a page")); err != nil {
			t.Fatal(err)
		}
	}
	for other := range int64(10) {
		for range 2 {
			if _, err := c.Get(PageKey{Company: 10 + other}, brotliPage("another page")); err != nil {
				t.Fatal(err)
			}
		}
	}
	if c.held[key] != nil {
		t.Fatal("the page is still stored")
	}
	before := c.bytes
	if c.Compress(key); c.held[key] != nil || c.bytes != before {
		t.Error("the page came back")
	}
}
