package portal

import (
	"context"

	"portico/store"
)

func (p *Portal) takeLicence(ctx context.Context, key string, companyID int64, phone string) error {
	return nil
}
func (p *Portal) useUpload(ctx context.Context, tx *store.DB, key string, companyID int64) error {
	return nil
}
