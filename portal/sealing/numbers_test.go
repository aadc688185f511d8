package sealing

import (
	"testing"
	"time"

	"portico/constanttest"
)

func TestEveryNumberHasItsLiteral(t *testing.T) {
	constanttest.Check(t, constanttest.Values{
		"ResealAtOnce":    {ResealAtOnce, 500},
		"MinSecret":       {MinSecret, 32},
		"sealingKeyBytes": {sealingKeyBytes, 32},
		"hashKeyBytes":    {hashKeyBytes, 32},
		"keyIDBytes":      {keyIDBytes, 4},
		"hashKeyWait":     {hashKeyWait, 10 * time.Second},
	}, map[string]string{})
}
