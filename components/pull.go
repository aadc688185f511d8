package components

import (
	"context"
	"encoding/json"

	"portico/locale"
)

func pullProps(ctx context.Context) string {
	props, _ := json.Marshal(map[string]string{
		"deactivate": locale.T(ctx, "pull.deactivate"), "activate": locale.T(ctx, "pull.activate"),
		"release": locale.T(ctx, "pull.release"), "finish": locale.T(ctx, "pull.finish"),
		"failed": locale.T(ctx, "pull.failed"),
	})
	return string(props)
}
