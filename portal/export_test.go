package portal

import "context"

// NewCode draws a code as AskCode does.
var NewCode = newCode

// TakeLicence is what an application does before its transaction.
func (p *Portal) TakeLicence(ctx context.Context, key string, companyID int64, phone string) error {
	return p.takeLicence(ctx, key, companyID, phone)
}

// UseUpload is what an application does in it.
func (p *Portal) UseUpload(ctx context.Context, key string, companyID int64) error {
	return p.useUpload(ctx, p.db, key, companyID)
}

// LookAtPicture is what is done with a file before it is decoded.
func LookAtPicture(data []byte) error {
	_, err := look(data)
	return err
}
