package application

import "context"

// TakeLicence does what an application does with its licence before the transaction.
func (l *Licences) TakeLicence(ctx context.Context, key string, companyID int64, phone string) error {
	return l.takeLicence(ctx, key, companyID, phone)
}

// UseUpload does what an application does with its licence in the transaction.
func (l *Licences) UseUpload(ctx context.Context, key string, companyID int64) error {
	return l.useUpload(ctx, l.db, key, companyID)
}
