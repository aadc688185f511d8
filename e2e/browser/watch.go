package browser

import (
	"fmt"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"portico/e2e/program"
)

// BlockScripts makes every request for a script fail.
func (b *Tab) BlockScripts() {
	b.T.Helper()
	b.ExpectBlocked("", true)
	b.Must(proto.NetworkEnable{}.Call(b))
	b.Must(b.SetBlockedURLs([]string{"*.js"}))
}

// CutOff makes requests for one URL fail, as without a network.
func CutOff(b *Tab, address string) {
	b.T.Helper()
	b.ExpectBlocked(address, b.NoScripts)
	b.Must(proto.NetworkEnable{}.Call(b))
	b.Must(b.SetBlockedURLs([]string{address}))
}

// ExpectBlocked says which failures are intended: those of requests for a URL, and those of scripts if noScripts is
// true.
func (b *Tab) ExpectBlocked(address string, plain bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.blockedURL, b.NoScripts = address, plain
}

// SetServer makes the tab visit another server and returns the one before.
func SetServer(b *Tab, s *program.Server) (before *program.Server) {
	b.mu.Lock()
	defer b.mu.Unlock()
	before, b.Server = b.Server, s
	return before
}

// expected returns the server that the tab visits and what is blocked on purpose.
func (b *Tab) expected() (s *program.Server, cut string, plain bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Server, b.blockedURL, b.NoScripts
}

// watch collects requests to other hosts, violations of the Content-Security-Policy and errors on the console. It also
// remembers the document and the auth codes in URLs.
func (b *Tab) watch() {
	wait := b.EachEvent(
		func(e *proto.NetworkRequestWillBeSent) {
			own, _, _ := b.expected()
			u, err := url.Parse(e.Request.URL)
			if err == nil && (u.Scheme == "http" || u.Scheme == "https") && !own.Owns(u.Host) {
				b.noteTrouble("asked another host: %s", e.Request.URL)
			} else if code := u.Query().Get("auth_code_"); code != "" {
				b.mu.Lock()
				b.AuthCodes = append(b.AuthCodes, code)
				b.mu.Unlock()
			}
		},
		func(e *proto.NetworkResponseReceived) {
			if e.Type == proto.NetworkResourceTypeDocument {
				b.mu.Lock()
				b.document = e.RequestID
				b.mu.Unlock()
			}
		},
		func(e *proto.LogEntryAdded) {
			_, cut, plain := b.expected()
			refused := e.Entry.Source == proto.LogLogEntrySourceNetwork &&
				strings.Contains(e.Entry.Text, "the server responded with a status of 4")
			blocked := plain && strings.HasSuffix(e.Entry.URL, ".js") || e.Entry.URL != "" && e.Entry.URL == cut
			if e.Entry.Level == proto.LogLogEntryLevelError && !refused && !blocked {
				b.noteTrouble("console: %s %s", e.Entry.Text, e.Entry.URL)
			}
		},
		func(e *proto.RuntimeExceptionThrown) {
			thrown := e.ExceptionDetails.Text
			if what := e.ExceptionDetails.Exception; what != nil {
				thrown += ": " + what.Description
			}
			// Chromium reports a view transition between two pages that it gave up as an uncaught error, though no
			// script started it.
			aborted := strings.Contains(thrown, "InvalidStateError: Transition was aborted")
			skipped := strings.Contains(thrown, "AbortError: Transition was skipped")
			if !aborted && !skipped {
				b.noteTrouble("thrown: %s", thrown)
			}
		},
		func(e *proto.RuntimeConsoleAPICalled) bool {
			words := ""
			for _, arg := range e.Args {
				words += arg.Value.Str() + " "
			}
			if words == "the end " {
				return true
			}
			if e.Type == proto.RuntimeConsoleAPICalledTypeError || e.Type == proto.RuntimeConsoleAPICalledTypeWarning {
				b.noteTrouble("console: %s", words)
			}
			return false
		},
	)
	go func() {
		defer close(b.watched)
		wait()
	}()
}

// noteTrouble keeps a message for report.
func (b *Tab) noteTrouble(format string, args ...any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.troubles = append(b.troubles, fmt.Sprintf(format, args...))
}

// report fails the test with what was collected. Events arrive in order, so it waits for the event of its own last
// message.
func (b *Tab) report() {
	b.T.Helper()
	if _, err := b.evaluate(`() => console.debug("the end")`); err == nil {
		select {
		case <-b.watched:
		case <-time.After(program.Patience):
			b.T.Error("the browser stopped reporting")
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, trouble := range b.troubles {
		if b.tooBusy && strings.Contains(trouble, "status of 503") {
			continue
		}
		b.T.Error(trouble)
	}
	if path := os.Getenv("PORTICO_SHOTS"); b.T.Failed() && path != "" {
		b.TakePicture(path+"/failed-"+strings.NewReplacer("/", "-", " ", "_").Replace(b.T.Name())+".webp", true)
	}
}

// Source returns the HTML of the page as the server sent it.
func Source(b *Tab) []byte {
	b.T.Helper()
	b.mu.Lock()
	id := b.document
	b.mu.Unlock()
	answer, err := proto.NetworkGetResponseBody{RequestID: id}.Call(b)
	b.Must(err)
	return []byte(answer.Body)
}
