package portal_test

import (
	"testing"

	"portico/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }
