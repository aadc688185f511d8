package stylesheet

import (
	"testing"

	"portico/constanttest"
)

func TestEveryNumberHasItsLiteral(t *testing.T) {
	constanttest.Check(t, constanttest.Values{
		"MaxStyle":         {MaxStyle, 20 << 10},
		"MaxStyleProblems": {MaxStyleProblems, 5},
		"maxStyleServed":   {maxStyleServed, 96 << 10},
		"maxStyleNumber":   {maxStyleNumber, 12},
		"maxStyleQuote":    {maxStyleQuote, 40},
		"maxSelectors":     {maxSelectors, 20},
		"maxCompounds":     {maxCompounds, 8},
		"largestType":      {largestType, 48},
	}, map[string]string{})
}
