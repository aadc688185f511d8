package page

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"portico/tools/bench/figures"
)

// budget is how much a page may load into a browser with an empty cache: bytes on the wire with headers, the bytes of
// scripts among them, and requests. e2e/page/budget_test.go checks every route against its budget.
type budget struct {
	Bytes    float64 `json:"bytes"`
	Scripts  float64 `json:"scripts"`
	Requests float64 `json:"requests"`
}

// otherPages are the pages in the table beside the login page: those that need no account.
var otherPages = []string{
	"/login/account", "/login/code", "/register", "/experience", "/forget/phone", "/forget/account", "/agreement",
}

// readBudgets returns the budgets by the paths of the pages.
func readBudgets(text []byte) (budgets map[string]budget, err error) {
	if err := json.Unmarshal(text, &budgets); err != nil {
		return nil, fmt.Errorf("budgets.json: %w", err)
	}
	return budgets, nil
}

// otherWeights compares the other pages without an account with their budgets, each in a fresh profile.
func (m *measurement) otherWeights(ctx context.Context, budgets map[string]budget) error {
	for _, path := range otherPages {
		t, err := m.open(ctx, unhurried)
		if err != nil {
			return err
		}
		v, err := t.view(m.Program+path, untilStill)
		t.close()
		if err != nil {
			return err
		}
		m.Table.Add(
			path+", cold: on the wire with headers", v.bytes(allExchanges), "B", figures.AtMost, budgets[path].Bytes,
			"%.0f B of it scripts, of %.0f", v.bytes(isScript), budgets[path].Scripts,
		)
		m.Table.Add(path+", cold: requests", v.count(allExchanges), "", figures.AtMost, budgets[path].Requests, "")
	}
	return nil
}

func isScript(e *exchange) bool { return e.kind == proto.NetworkResourceTypeScript }

// untilStill returns true when a page was painted and loads nothing more.
func untilStill(v *pageView) bool {
	return v.Paint > 0 && v.running == 0 && time.Since(v.last) > quietFor
}
