package page

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/input"
	"github.com/go-rod/rod/lib/launcher"
	"github.com/go-rod/rod/lib/launcher/flags"
	"github.com/go-rod/rod/lib/proto"
)

// PhoneAgent is the User-Agent of the phone.
const PhoneAgent = "Mozilla/5.0 (Linux; Android 13; Pixel 5) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 " +
	"Mobile Safari/537.36"

const (
	viewLimit = 40 * time.Second
	// quietFor is how long no request is made before a page counts as loaded. Islands that load when the browser is
	// idle have loaded by then.
	quietFor = 1500 * time.Millisecond
)

// tab is one page in a browser that has its own profile.
type tab struct {
	*rod.Page
	launcher *launcher.Launcher
	profile  string
}

// open starts a browser with an empty profile, as wide as a phone and throttled.
func (m *measurement) open(ctx context.Context, with throttle) (*tab, error) {
	program, found := launcher.LookPath()
	if !found {
		return nil, errors.New("no Chromium or Chrome found")
	}
	profile, err := os.MkdirTemp(m.Dir, "profile-")
	if err != nil {
		return nil, err
	}
	t := &tab{
		launcher: launcher.New().Context(ctx).Bin(program).NoSandbox(true).Leakless(true).UserDataDir(profile),
		profile:  profile,
	}
	for _, name := range []string{"disable-gpu", "disable-quic", "disable-component-update"} {
		t.launcher.Set(flags.Flag(name)) // launcher.New sets the others
	}
	t.launcher.Set("host-resolver-rules", "MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE *.localhost, EXCLUDE 127.0.0.1")
	address, err := t.launcher.Launch()
	if err != nil {
		return nil, fmt.Errorf("start Chromium: %w", err)
	}
	browser := rod.New().Context(ctx).ControlURL(address).NoDefaultDevice()
	if err = browser.Connect(); err == nil {
		t.Page, err = browser.Page(proto.TargetCreateTarget{URL: "about:blank"})
	}
	if err == nil {
		t.Page = t.Timeout(viewLimit)
		err = t.prepare(with)
	}
	if err != nil {
		t.close()
		return nil, fmt.Errorf("reach Chromium: %w", err)
	}
	return t, nil
}

func (t *tab) close() {
	t.launcher.Kill()
	_ = os.RemoveAll(t.profile)
}

// prepare gives the tab the size, touch screen and User-Agent of a phone.
func (t *tab) prepare(with throttle) error {
	perSecond := func(bits float64) *float64 {
		bytes := bits / 8
		if bits == 0 {
			bytes = -1
		}
		return &bytes
	}
	_, err := t.EvalOnNewDocument(probe)
	return errors.Join(err,
		proto.NetworkEnable{}.Call(t),
		proto.PerformanceEnable{}.Call(t),
		proto.EmulationSetDeviceMetricsOverride{Width: 390, Height: 844, DeviceScaleFactor: 3, Mobile: true}.Call(t),
		proto.EmulationSetTouchEmulationEnabled{Enabled: true}.Call(t),
		proto.EmulationSetUserAgentOverride{UserAgent: PhoneAgent, AcceptLanguage: "zh-CN"}.Call(t),
		proto.EmulationSetCPUThrottlingRate{Rate: with.cpu}.Call(t),
		proto.NetworkEmulateNetworkConditions{
			Latency:            float64(with.delay) / float64(time.Millisecond),
			DownloadThroughput: *perSecond(with.down),
			UploadThroughput:   *perSecond(with.up),
		}.Call(t),
	)
}

// probe records what a visitor notices of a page. The phone field is usable from the first frame after the first paint
// in which it has a box and nothing covers it. Priced is when the first frame after the first paint began that has a
// price, in milliseconds since 1970. Blocking is the time beyond 50 ms of every task since the visit began.
const probe = `{
	const seen = window.seen = {Paint: 0, Usable: 0, Priced: 0, Shift: 0, Blocked: 0}
	const watch = (type, note) =>
		new PerformanceObserver(l => l.getEntries().forEach(note)).observe({type, buffered: true})
	watch("paint", e => { if (e.name === "first-contentful-paint") seen.Paint = e.startTime })
	watch("layout-shift", e => { if (!e.hadRecentInput) seen.Shift += e.value })
	watch("longtask", e => { seen.Blocked += e.duration - 50 })
	const frame = () => {
		if (seen.Paint && !seen.Priced && document.body.textContent.includes("¥")) {
			seen.Priced = performance.timeOrigin + performance.now()
		}
		const e = seen.Paint && document.querySelector("input[name=phone]")
		if (e && !e.disabled && !e.readOnly) {
			const r = e.getBoundingClientRect()
			if (r.width && document.elementFromPoint(r.x + r.width / 2, r.y + r.height / 2) === e) {
				seen.Usable = performance.now()
				return
			}
		}
		requestAnimationFrame(frame)
	}
	requestAnimationFrame(frame)
}`

// pageView is what one visit cost, and what the probe saw.
type pageView struct {
	// milliseconds since the visit began; Shift as browsers count it, Priced since 1970
	Paint, Usable, Priced, Shift, Blocked float64

	began     proto.MonotonicTime
	mu        sync.Mutex
	exchanges map[proto.NetworkRequestID]*exchange
	running   int
	last      time.Time // of the last event
}

// exchange is one request with its answer.
type exchange struct {
	url    string
	kind   proto.NetworkResourceType
	status int
	cached bool
	bytes  float64 // on the wire, headers included
	ended  proto.MonotonicTime
}

// revalidated reports whether the cached answer was revalidated and is still valid.
func (e *exchange) revalidated() bool { return e.status == 304 }

// bytes adds up the sizes of the exchanges that of accepts.
func (v *pageView) bytes(of func(*exchange) bool) (sum float64) {
	for _, e := range v.exchanges {
		if of(e) {
			sum += e.bytes
		}
	}
	return sum
}

// count returns how many exchanges of accepts.
func (v *pageView) count(of func(*exchange) bool) (n float64) {
	for _, e := range v.exchanges {
		if of(e) {
			n++
		}
	}
	return n
}

// firstPaintTime is the first paint on the clock of the exchanges.
func (v *pageView) firstPaintTime() proto.MonotonicTime {
	return v.began + proto.MonotonicTime(v.Paint/1000)
}

// view visits an address and waits until enough returns true. With nil it does not wait.
func (t *tab) view(address string, enough func(*pageView) bool) (*pageView, error) {
	v := &pageView{exchanges: map[proto.NetworkRequestID]*exchange{}, last: time.Now()}
	watched, stop := t.WithCancel()
	defer stop()
	go watched.EachEvent(v.onRequest, v.onResponse, v.onExtraInfo, v.onServedFromCache, v.onFinished, v.onFailed)()
	answer, err := proto.PageNavigate{URL: address}.Call(t)
	if err != nil || enough == nil {
		return nil, err
	}
	if answer.ErrorText != "" {
		return nil, fmt.Errorf("%s: %s", address, answer.ErrorText)
	}
	for {
		time.Sleep(30 * time.Millisecond)
		if err := t.readProbe(v); err != nil {
			return nil, fmt.Errorf("%s: %w", address, err)
		}
		v.mu.Lock()
		done := enough(v)
		v.mu.Unlock()
		if done {
			return v, nil
		}
	}
}

// untilUsable returns true when the phone field is usable.
func untilUsable(v *pageView) bool { return v.Usable > 0 }

// untilQuiet returns true when the phone field is usable and the page loads nothing more.
func untilQuiet(v *pageView) bool {
	return v.Usable > 0 && v.running == 0 && time.Since(v.last) > quietFor
}

// readProbe reads the results of the probe into a view.
func (t *tab) readProbe(v *pageView) error {
	answer, err := proto.RuntimeEvaluate{Expression: "JSON.stringify(window.seen)", ReturnByValue: true}.Call(t)
	if err != nil {
		return err
	}
	metrics, err := proto.PerformanceGetMetrics{}.Call(t)
	if err != nil {
		return err
	}
	for _, m := range metrics.Metrics {
		if m.Name == "NavigationStart" {
			v.began = proto.MonotonicTime(m.Value)
		}
	}
	if answer.Result.Type != proto.RuntimeRemoteObjectTypeString {
		return nil // the probe has not run yet
	}
	return json.Unmarshal([]byte(answer.Result.Value.Str()), v)
}

func (v *pageView) onRequest(e *proto.NetworkRequestWillBeSent) {
	v.updateExchange(e.RequestID, func(x *exchange) {
		x.url, x.kind = e.Request.URL, e.Type
		v.running++
	})
}

func (v *pageView) onResponse(e *proto.NetworkResponseReceived) {
	v.updateExchange(e.RequestID, func(x *exchange) {
		x.kind, x.cached = e.Type, x.cached || e.Response.FromDiskCache || e.Response.FromPrefetchCache
	})
}

func (v *pageView) onExtraInfo(e *proto.NetworkResponseReceivedExtraInfo) {
	v.updateExchange(e.RequestID, func(x *exchange) { x.status = e.StatusCode })
}

func (v *pageView) onServedFromCache(e *proto.NetworkRequestServedFromCache) {
	v.updateExchange(e.RequestID, func(x *exchange) { x.cached = true })
}

func (v *pageView) onFinished(e *proto.NetworkLoadingFinished) {
	v.updateExchange(e.RequestID, func(x *exchange) {
		x.bytes, x.ended = e.EncodedDataLength, e.Timestamp
		v.running--
	})
}

func (v *pageView) onFailed(e *proto.NetworkLoadingFailed) {
	v.updateExchange(e.RequestID, func(*exchange) { v.running-- })
}

// updateExchange changes the exchange of a request.
func (v *pageView) updateExchange(id proto.NetworkRequestID, change func(*exchange)) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.last = time.Now()
	x := v.exchanges[id]
	if x == nil {
		x = &exchange{}
		v.exchanges[id] = x
	}
	change(x)
}

// typeEarly fills in the form of a page by keys and taps while its scripts are delayed, then lets them load. It returns
// the names of the fields, and of those that lost input.
func (t *tab) typeEarly(address string) (names, lost []string, err error) {
	release, err := t.delayScripts()
	if err != nil {
		return nil, nil, err
	}
	if _, err := t.view(address, nil); err != nil {
		return nil, nil, err
	}
	if err := t.await(`document.readyState !== "loading" && !!document.forms["sign-in"]`); err != nil {
		return nil, nil, err
	}
	if names, err = t.fillForm(); err != nil {
		return nil, nil, err
	}
	before, err := t.fieldValues()
	if err != nil {
		return nil, nil, err
	}
	if err := release(); err != nil {
		return nil, nil, err
	}
	err = t.await(
		`!document.querySelector("script[src]") ||
			document.querySelectorAll("[data-island]:not([data-ready])").length === 0`,
	)
	if err != nil {
		return nil, nil, err
	}
	after, err := t.fieldValues()
	for _, name := range names {
		if before[name] == "" || after[name] != before[name] {
			lost = append(lost, name)
		}
	}
	return names, lost, err
}

// delayScripts delays every script until the returned function is called.
func (t *tab) delayScripts() (release func() error, err error) {
	gate := make(chan struct{})
	router := t.HijackRequests()
	err = router.Add("*.js", "", func(h *rod.Hijack) {
		<-gate
		h.ContinueRequest(&proto.FetchContinueRequest{})
	})
	go router.Run()
	return func() error {
		close(gate)
		return router.Stop() // also releases the requests that wait
	}, err
}

// fillForm types into each visible field of the form and ticks its boxes.
func (t *tab) fillForm() (names []string, err error) {
	fields, err := t.Elements("#sign-in input:not([type=hidden])")
	for _, field := range fields {
		name, kind, err := describe(field)
		if err != nil {
			return nil, err
		}
		names = append(names, name)
		if err := field.Focus(); err != nil {
			return nil, err
		}
		keys := map[string]string{"tel": "1380013", "checkbox": " "}[kind]
		if keys == "" {
			keys = "Demo2026"
		}
		for _, key := range keys {
			if err := t.Keyboard.Type(input.Key(key)); err != nil {
				return nil, err
			}
		}
	}
	return names, err
}

// describe returns the name and the type of a field.
func describe(field *rod.Element) (name, kind string, err error) {
	attributes := map[string]string{}
	for _, attribute := range []string{"name", "type"} {
		value, err := field.Attribute(attribute)
		if err != nil {
			return "", "", err
		}
		if value != nil {
			attributes[attribute] = *value
		}
	}
	return attributes["name"], attributes["type"], nil
}

// fieldValues returns the values of the fields, without the spaces that group a number.
func (t *tab) fieldValues() (map[string]string, error) {
	answer, err := t.Eval(`() => Object.fromEntries([...document.querySelectorAll("#sign-in input:not([type=hidden])")]
		.map(e => [e.name, e.type === "checkbox" ? String(e.checked) : e.value]))`)
	if err != nil {
		return nil, err
	}
	values := map[string]string{}
	if err := answer.Value.Unmarshal(&values); err != nil {
		return nil, err
	}
	for _, name := range slices.Collect(maps.Keys(values)) {
		values[name] = strings.ReplaceAll(values[name], " ", "")
		if values[name] == "false" {
			values[name] = ""
		}
	}
	return values, nil
}

// await waits until an expression of the page is true.
func (t *tab) await(expression string) error {
	for {
		answer, err := proto.RuntimeEvaluate{Expression: expression, ReturnByValue: true}.Call(t)
		if err != nil {
			return fmt.Errorf("wait for %s: %w", expression, err)
		}
		if answer.Result.Value.Bool() {
			return nil
		}
		time.Sleep(20 * time.Millisecond)
	}
}
