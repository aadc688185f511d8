package api

import "portico/portal/application"

// fileToSend describes a file that a client is about to upload.
type fileToSend struct {
	Name string `json:"name_"`
	Size int64  `json:"size_"` // bytes
	Type string `json:"type_"`
}

// uploadToken says where and how to upload it.
type uploadToken struct {
	URL     string            `json:"url_"`
	Method  string            `json:"method_"`
	Headers map[string]string `json:"headers_"`
	Fields  map[string]string `json:"fields_"`
	Key     string            `json:"key_"`
	Expires int64             `json:"expires_"` // Unix ms
}

func getUploadToken(a *API, caller *caller, in fileToSend) (uploadToken, error) {
	form, err := a.portal.Licences.UploadToken(caller.ctx, application.UploadTokenInput{
		Name: in.Name, Type: in.Type, Size: in.Size, CompanyID: caller.companyID, Session: caller.token,
	})
	return uploadToken{form.URL, form.Method, form.Headers, form.Fields, form.Key, form.Expires.UnixMilli()}, err
}
