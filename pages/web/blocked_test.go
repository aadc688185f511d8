package web_test

import (
	"testing"

	"portico/locale"
	"portico/portal/access"
)

// blockedReasons are the refusals that name a company. Each has a short title.
var blockedReasons = []access.Refusal{
	access.CompanyDisabled, access.CompanyExpired, access.TrialEnded, access.AccountDisabled, access.UnderReview,
	access.LightingNotEnabled, access.ChatClosed, access.WeChatManagerClosed, access.PartnerEnded, access.ShopDisabled,
	access.MallNotOpen, access.ApplicationsClosed, access.PasswordNotSet,
}

func TestEveryReasonOfABlockedAccountHasATitle(t *testing.T) {
	for _, l := range locale.Langs {
		for _, reason := range blockedReasons {
			key := "chip." + string(reason)
			if locale.T(locale.With(t.Context(), l), key) == key {
				t.Errorf("%s has no text in %s", key, l)
			}
		}
	}
}
