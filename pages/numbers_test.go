package pages

import (
	"testing"
	"time"

	"portico/constanttest"
)

func TestEveryNumberHasItsLiteral(t *testing.T) {
	constanttest.Check(t, constanttest.Values{
		"maxAgents": {maxAgents, 1024},
		"maxAgent":  {maxAgent, 512},

		"SignInPagesSize": {SignInPagesSize, 8 << 20},
		"PageOverhead":    {PageOverhead, 2 << 10},
		"ProtectedShare":  {ProtectedShare, 80},
		"PagesToCompress": {PagesToCompress, 256},
		"CompressPause":   {CompressPause, 500 * time.Millisecond},

		"maxDetail":      {maxDetail, 400},
		"minuteSeconds":  {minuteSeconds, 60},
		"silentSeconds":  {silentSeconds, 600},
		"daySeconds":     {daySeconds, 24 * 60 * 60},
		"monthSeconds":   {monthSeconds, 30 * 24 * 60 * 60},
		"yearSeconds":    {yearSeconds, 365 * 24 * 60 * 60},
		"maxForm":        {maxForm, 32 << 10},
		"maxMultipart":   {maxMultipart, 5<<20 + 64<<10},
		"maxPageForm":    {maxPageForm, 20 << 20},
		"maxLookText":    {maxLookText, 128 << 10},
		"maxParts":       {maxParts, 100},
		"maxBetween":     {maxBetween, 16 << 10},
		"readAhead":      {readAhead, 4 << 10},
		"maxDisposition": {maxDisposition, 1 << 10},
		"refusedTime":    {refusedTime, 5 * time.Second},
		"answerTime":     {answerTime, 45 * time.Second},
		"returnSeconds":  {returnSeconds, 3600},
		"maxReturn":      {maxReturn, 400},
		"maxShares":      {maxShares, 256},
		"shareWait":      {shareWait, 10 * time.Second},
		"maxPlayed":      {maxPlayed, 64},
		"maxCalls":       {maxCalls, 200},
		"maxMessage":     {maxMessage, 8 << 10},
	}, map[string]string{
		"phoneWidth":   "the width of a preview",
		"desktopWidth": "the width of a preview",
		"searchFrom":   "layout",
		"visitSpan":    "what a page shows first",
		"tooSmall":     "speed, not protection",
	})
}
