package program

import (
	"testing"
)

func TestCodesAreFoundInALog(t *testing.T) {
	codes := []string{"123456", "012345"}
	for line, want := range map[string]int{
		`{"time":"2026-01-02T03:04:05.123456Z","msg":"request","request_id":"x-123456","micros":123456}`: 0,
		`{"msg":"security","detail":"login 123456"}`:                                                     1,
		`{"msg":"request","path":"/code/012345","bytes":123456}`:                                         1,
		`{"msg":"request","path":"/code/1234567"}`:                                                       0,
		`{"msg":"request","path":"/mgr/orders/123456"}`:                                                  0,
		`{"msg":"request","path":"/mgr/orders/x/123456"}`:                                                1,
		`<link href="/assets/page-a123456b.css"><style>a{color:#123456}</style>`:                         0,
		`{"msg":"security","detail":"login\n123456"}`:                                                    1,
		`{"msg":"request","path":"/login?code=%20123456\u0026x"}`:                                        1,
		`<input name="code" value="123456">`:                                                             1,
	} {
		if got := CodesIn(line, codes); len(got) != want {
			t.Errorf("%s: %q", line, got)
		}
	}
}
