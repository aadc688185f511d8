package components

import (
	"context"
	"encoding/json"

	"portico/locale"
)

// offlineProps returns the texts of islands/page/offline.ts as JSON.
func offlineProps(ctx context.Context) string {
	props, _ := json.Marshal(map[string]string{
		"lost": locale.T(ctx, "offline.lost"), "held": locale.T(ctx, "offline.held"),
		"back": locale.T(ctx, "offline.back"),
	})
	return string(props)
}
