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

// evaluate evaluates a function in the page as it now is.
func (b *Tab) evaluate(function string, args ...any) (json.RawMessage, error) {
	return b.evaluateFor(program.Patience, function, args...)
}

// evaluateFor is try with a limit on the time that the page has to answer.
func (b *Tab) evaluateFor(limit time.Duration, function string, args ...any) (json.RawMessage, error) {
	given, err := json.Marshal(append([]any{}, args...))
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(b.GetContext(), limit)
	defer cancel()
	answer, err := proto.RuntimeEvaluate{
		Expression: "(" + function + ")(..." + string(given) + ")", ReturnByValue: true, AwaitPromise: true, UserGesture: true,
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

// Ask evaluates a function and reads its answer into a value of the type asked for. The function may run twice, when the
// page changes meanwhile: it must not lead to another page (see run).
func Ask[T any](b *Tab, function string, args ...any) T {
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

// RunAndLeave evaluates a function that leads to another page, exactly once. On a busy machine the browser may change documents
// before the old one has answered: then the function did what it was called for, and going back once more would lead to
// the page before.
func (b *Tab) RunAndLeave(function string, args ...any) {
	b.T.Helper()
	if _, err := b.evaluate(function, args...); !changedDocument(err) {
		b.Must(err)
	}
}

// changedDocument reports whether an evaluation failed because the tab went to another document.
func changedDocument(err error) bool {
	return err != nil && strings.Contains(err.Error(), "navigated")
}

// Await waits until a function of the page is true.
func (b *Tab) Await(what, function string, args ...any) {
	b.T.Helper()
	b.waitFor(what, func(answer string) bool { return answer == "true" }, function, args...)
}

// waitFor asks a function of the page until its answer is as wanted: less and less often, for asking takes time from the
// page. An evaluation that gets no answer is given up and made again, because a page that the browser keeps aside to go
// back to never answers.
func (b *Tab) waitFor(what string, wanted func(answer string) bool, function string, args ...any) json.RawMessage {
	b.T.Helper()
	deadline := time.Now().Add(program.Patience)
	for pause := 10 * time.Millisecond; ; pause = min(pause+5*time.Millisecond, 50*time.Millisecond) {
		answer, err := b.evaluateFor(answerTime, function, args...)
		if err == nil && wanted(string(answer)) {
			return answer
		}
		if time.Now().After(deadline) {
			b.T.Fatalf("waited in vain for %s at %s (%v)\n%s", what, b.Address(), err, b.VisibleText())
		}
		time.Sleep(pause)
	}
}

// Address is where the tab is, for messages.
func (b *Tab) Address() string {
	return b.textOf(`() => location.href`)
}

// VisibleText is what a person reads, for messages.
func (b *Tab) VisibleText() string {
	return b.textOf(`() => document.body.innerText`)
}

func (b *Tab) textOf(function string) string {
	answer, err := b.evaluate(function)
	var text string
	if err == nil {
		err = json.Unmarshal(answer, &text)
	}
	if err != nil {
		return err.Error()
	}
	return text
}

// answerTime is how long the browser may take to answer one question that is asked again, or the second press.
const answerTime = 10 * time.Second
