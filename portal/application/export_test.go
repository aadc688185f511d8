package application

import "context"

// TakeLicence takes an uploaded licence for an application, before the transaction.
func (l *Licences) TakeLicence(ctx context.Context, key string, companyID int64, phone string) error {
	return l.takeLicence(ctx, key, companyID, phone)
}

// UseUpload marks an uploaded licence as used, as the transaction of an application does.
func (l *Licences) UseUpload(ctx context.Context, key string, companyID int64) error {
	return l.useUpload(ctx, l.core.DB, key, companyID)
}
