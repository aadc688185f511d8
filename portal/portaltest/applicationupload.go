package portaltest

import (
	"bytes"

	"portico/portal/application"
	"portico/store"
)

// SenderPhone is the phone of an applicant who sends files.
const SenderPhone = "13900000777"

// Licence sends a picture to a company, as an applicant with a phone.
func (p *Platform) Licence(company int64, phone string, data []byte) (store.Upload, error) {
	p.T.Helper()
	token, err := p.Licences.LicenceToken(p.T.Context(), company, phone)
	NoError(p.T, err)
	return p.Licences.UploadLicence(p.From(HomeAddress), application.UploadInput{
		Token: token, Body: bytes.NewReader(data),
	})
}
