package api

import (
	"testing"

	"portico/constanttest"
)

func TestEveryNumberHasItsLiteral(t *testing.T) {
	constanttest.Check(t, constanttest.Values{
		"maxBody":       {maxBody, 64 << 10},
		"maxParameters": {maxParameters, 1000},
		"maxHeader":     {maxHeader, 256},
		"maxKey":        {maxKey, 64},
	}, map[string]string{
		"treeCompression": "speed and size, not protection",
	})
}
