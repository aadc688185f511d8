package testscope_test

import (
	"fmt"
	"net"
	"testing"

	"portico/e2e/testscope"
)

func TestAPortIsGivenOnceAndNothingListensOnIt(t *testing.T) {
	given := map[int]bool{}
	for range 100 {
		port := testscope.FreePort()
		if given[port] {
			t.Errorf("%d was given twice", port)
		}
		given[port] = true
		listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = listener.Close() }()
	}
}
