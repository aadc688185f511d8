package application

import "context"

// TakeLicence is what an application does before its transaction.
func (a *Application) TakeLicence(ctx context.Context, key string, companyID int64, phone string) error {
	return a.takeLicence(ctx, key, companyID, phone)
}

// UseUpload is what an application does in it.
func (a *Application) UseUpload(ctx context.Context, key string, companyID int64) error {
	return a.useUpload(ctx, a.db, key, companyID)
}
