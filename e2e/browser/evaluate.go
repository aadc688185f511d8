package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"portico/e2e/program"
)

// evaluate calls a JavaScript function in the page and returns its result as JSON.
func (b *Tab) evaluate(function string, args ...any) (json.RawMessage, error) {
	return b.evaluateFor(program.Patience, function, args...)
}

// evaluateFor is evaluate with a limit on the time that the page may take.
func (b *Tab) evaluateFor(limit time.Duration, function string, args ...any) (json.RawMessage, error) {
	given, err := json.Marshal(append([]any{}, args...))
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(b.GetContext(), limit)
	defer cancel()
	answer, err := proto.RuntimeEvaluate{
		Expression:    "(" + function + ")(..." + string(given) + ")",
		ReturnByValue: true,
		AwaitPromise:  true,
		UserGesture:   true,
	}.Call(b.Context(ctx))
	if err != nil {
		return nil, err
	}
	if trouble := answer.ExceptionDetails; trouble != nil {
		text := trouble.Text
		if trouble.Exception != nil {
			text += " " + trouble.Exception.Description
		}
		return nil, fmt.Errorf("%s: %s", function, text)
	}
	return json.Marshal(answer.Result.Value)
}

// Eval calls a JavaScript function in the page and decodes its result. The function may run twice if the page changes
// meanwhile, so it must not lead to another page; see RunAndLeave.
func Eval[T any](b *Tab, function string, args ...any) T {
	b.T.Helper()
	var value T
	answer, err := b.evaluate(function, args...)
	if changedDocument(err) {
		answer, err = b.evaluate(function, args...)
	}
	b.Must(err)
	b.Must(json.Unmarshal(answer, &value))
	return value
}

// RunAndLeave calls a JavaScript function that leads to another page, exactly once. On a busy machine the browser may
// change documents before the old one has answered. The function has then done its work, and a second call would, for
// example, go back two pages.
func (b *Tab) RunAndLeave(function string, args ...any) {
	b.T.Helper()
	if _, err := b.evaluate(function, args...); !changedDocument(err) {
		b.Must(err)
	}
}

// changedDocument reports whether an evaluation failed because the tab loaded another document.
func changedDocument(err error) bool {
	return err != nil && strings.Contains(err.Error(), "navigated")
}

// Await waits until a JavaScript function of the page returns true. what names it in the message of a failure.
func (b *Tab) Await(what, function string, args ...any) {
	b.T.Helper()
	b.waitFor(what, func(answer string) bool { return answer == "true" }, function, args...)
}

// waitFor calls a JavaScript function until its result is as wanted. The calls become less frequent, because each takes
// time from the page. A call without an answer is made again: a page that the browser keeps in its back/forward cache
// never answers.
func (b *Tab) waitFor(what string, wanted func(answer string) bool, function string, args ...any) json.RawMessage {
	b.T.Helper()
	deadline := time.Now().Add(program.Patience)
	for pause := 10 * time.Millisecond; ; pause = min(pause+5*time.Millisecond, 50*time.Millisecond) {
		answer, err := b.evaluateFor(answerTime, function, args...)
		if err == nil && wanted(string(answer)) {
			return answer
		}
		if time.Now().After(deadline) {
			b.T.Fatalf(
				"timed out waiting for %s at %s (%v)\n%s\nloaded:\n%s",
				what, b.Address(), err, b.VisibleText(), b.loaded(),
			)
		}
		time.Sleep(pause)
	}
}

// Address returns the URL of the page, or the error if there is none. It is meant for messages.
func (b *Tab) Address() string {
	return b.textOf(`() => location.href`)
}

// loaded returns the URLs that the page has loaded, each with its status, or the error if there is no page. It is meant
// for messages.
func (b *Tab) loaded() string {
	return b.textOf(`() => performance.getEntriesByType("resource")
		.map(of => of.responseStatus + " " + of.name).join("\n")`)
}

// VisibleText returns the text of the page, or the error if there is none. It is meant for messages.
func (b *Tab) VisibleText() string {
	return b.textOf(`() => document.body.innerText`)
}

// textOf returns the result of a JavaScript function that returns a string.
func (b *Tab) textOf(function string) string {
	answer, err := b.evaluate(function)
	if err != nil {
		return err.Error()
	}
	var text string
	if err := json.Unmarshal(answer, &text); err != nil {
		return err.Error()
	}
	return text
}

// answerTime is how long the browser may take to answer one of several calls, or a second press.
const answerTime = 10 * time.Second
