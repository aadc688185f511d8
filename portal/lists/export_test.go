package lists

import (
	"context"
	"time"

	"portico/portal/access"
)

// ActionDeadline returns when an action on orders must end, as the operation on the last of them sees it.
func (l *Lists) ActionDeadline(ctx context.Context, here access.Landing, ids []int64) (ends time.Time, err error) {
	rule := actionRule{list: OrderList, do: func(
		ctx context.Context, _ *Lists, _ access.Landing, _ int64, _ string,
	) (bool, error) {
		ends, _ = ctx.Deadline()
		return true, nil
	}}
	_, err = l.run(ctx, here, rule, ids, "", "zh")
	return ends, err
}
