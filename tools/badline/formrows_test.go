package badline_test

import (
	"net/http"
	"slices"
	"testing"

	"portico/portal/office"
)

// formRow is a form that changes something. make prepares a scene: it opens the form's page and counts its effect. The
// functions for make are called form… and are in the files named …forms_test.go.
type formRow struct {
	name  string
	make  func(*scene)
	want  want
	also  map[string]want // the last page of certain faults, by their letters
	not   string          // letters of the faults that do not apply
	asks  string          // letters of the faults after which the page asks first
	agent string
}

// somewhere allows any page that is a success.
var somewhere = want{}

// openedAlready are the last pages when the repeated form finds the account opened.
var openedAlready = map[string]want{
	"L": {at: "store{id} /mgr/people/{id}", text: "person.opened_before"},
	"C": {at: "store{id} /mgr/people/{id}"},
	"D": {at: "store{id} /mgr/people/{id}"},
}

var formRows = []formRow{
	{name: "Sign in with a password", make: formSignIn, agent: phoneAgent, want: want{at: "m /shop"}},
	{name: "Enter the shop on a phone", make: formEnterShop, agent: phoneAgent, want: want{at: "m /shop"}, not: "T"},
	{
		name:  "Enter the back office on a phone",
		make:  formEnterBackOffice,
		agent: phoneAgent,
		want:  want{at: "mgr /home"},
		not:   "T",
	},
	{name: "Enter the shop beside the back office", make: formEnterShopBesideBackOffice, agent: desktopAgent,
		want: want{at: "store{id} /home"}, not: "T"},
	{name: "Send a code: sign in", make: formCodeToSignIn, agent: phoneAgent, want: want{at: "m /shop"}},
	{name: "Send a code: register", make: formCodeToRegister, agent: phoneAgent,
		want: want{at: "account /register/init", text: "register.created_long"}},
	{name: "Send a code: try it", make: formCodeToTry, agent: phoneAgent,
		want: want{at: "account /experience/role", text: "role.heading"}},
	{name: "Send a code: forgotten password", make: formCodeToReset, agent: phoneAgent,
		want: want{at: "account /login", text: "login.reset"}},
	{name: "Send a code: apply", make: formCodeToApply, agent: phoneAgent,
		want: want{at: "store{id} /register/more", text: "apply.submit"}},
	{name: "Register a company", make: formRegister, agent: phoneAgent,
		want: want{at: "account /register/init", text: "register.created_long"}},
	{name: "Initialise a company", make: formInitialise, agent: phoneAgent,
		want: want{at: "account /register/result", text: "register.initialised_long"},
		also: map[string]want{"R": {at: "account /register/result", text: "result.heading"}}},
	{name: "Try the demo: open the trial", make: formOpenTrial, agent: phoneAgent,
		want: want{at: "account /experience/role", text: "role.heading"}},
	{name: "Try the demo: choose a side", make: formChooseTrialSide, agent: phoneAgent, want: want{at: "m /shop"}},
	{name: "Apply, without a file", make: formApply(false), agent: phoneAgent,
		want: want{at: "store{id} /register/result", text: "standing.pending"}},
	{name: "Apply, with a file", make: formApply(true), agent: phoneAgent,
		want: want{at: "store{id} /register/result", text: "standing.pending"}},
	{
		name:  "Bind a phone",
		make:  formBindPhone,
		agent: phoneAgent,
		want:  want{at: "account /accounts", text: "bind.done"},
		also:  map[string]want{"R": somewhere, "T": somewhere},
	},
	{
		name: "Unbind a phone", make: formUnbindPhone, agent: phoneAgent,
		want: want{at: "account /accounts", text: "unbind.done"},
		also: map[string]want{"R": {at: "account /accounts"}},
	},
	{
		name: "Change the phone", make: formChangePhone(false), agent: phoneAgent,
		want: want{at: "account /accounts", text: "phone.done"},
	},
	{
		name: "Change the phone by codes", make: formChangePhone(true), agent: phoneAgent,
		want: want{at: "account /accounts", text: "phone.done"},
	},
	{
		name: "Send a code: change the phone", make: formCodeToChangePhone, agent: phoneAgent,
		want: want{at: "account /accounts", text: "phone.done"},
	},
	{
		name: "Send a code to the former phone", make: formCodeToFormerPhone, agent: phoneAgent,
		want: want{at: "account /accounts", text: "phone.done"},
	},
	{name: "Forgotten password", make: formResetPassword, agent: phoneAgent,
		want: want{at: "account /login", text: "login.reset"}},
	{name: "Change a password", make: formChangePassword, agent: phoneAgent,
		want: want{at: "account /accounts", text: "password.changed"}},
	{
		name: "Add person with an account name", make: formOpenNamedAccount, agent: desktopAgent,
		want: want{at: "store{id} /mgr/people/{id}", text: "person.reset"},
		also: map[string]want{"D": somewhere}, asks: "RT",
	},
	{
		name: "Add person without account name and phone", make: formOpenNamelessAccount, agent: desktopAgent,
		want: want{at: "store{id} /mgr/people/{id}", text: "person.reset"}, also: map[string]want{"D": somewhere},
		asks: "RT",
	},
	{
		name: "Add person by phone: back office", make: formOpenAccountByPhone("mgr"), agent: desktopAgent,
		want: want{at: "store{id} /mgr/people/{id}", text: "person.opened"}, also: openedAlready, asks: "RT",
	},
	{
		name: "Add person by phone: shop", make: formOpenAccountByPhone("shop"), agent: desktopAgent,
		want: want{at: "store{id} /mgr/people/{id}", text: "person.opened"}, also: openedAlready, asks: "RT",
	},
	{name: "Disable an account", make: formDisableAccount, agent: desktopAgent,
		want: want{at: "store{id} /mgr/people/{id}", text: "person.enable"}},
	{name: "Change one's profile", make: formProfile, agent: phoneAgent,
		want: want{at: "account /profile", text: "profile.saved"}},
	{name: "Send a portrait", make: formSendPortrait, agent: phoneAgent,
		want: want{at: "account /profile", text: "profile.remove"}},
	{name: "Remove a portrait", make: formRemovePortrait, agent: phoneAgent,
		want: want{at: "account /profile"}},
	{name: "Edit an account", make: formEditAccount, agent: desktopAgent,
		want: want{at: "store{id} /mgr/people/{id}", text: "person.saved"}},
	{name: "Make an employee an administrator", make: formChangeRole(office.MakeAdministrator), agent: desktopAgent,
		want: want{at: "store{id} /mgr/people/{id}", text: "person.became_administrator"}, not: "R"},
	{
		name:  "Hand over the administrator's role",
		make:  formChangeRole(office.HandOver),
		agent: desktopAgent,
		want:  want{at: "store{id} /mgr"},
		also: map[string]want{
			"R": {at: "store{id} /mgr/people/{id}/role", text: "error.forbidden", status: http.StatusForbidden},
		},
	},
	{name: "Choose a customer's type", make: formCustomerType, agent: desktopAgent,
		want: want{at: "store{id} /mgr/customers/{id}", text: "customer.type_saved"}},
	{name: "Name the customer types", make: formCustomerTypeNames, agent: desktopAgent,
		want: want{at: "store{id} /mgr/settings/customer-types", text: "settings.saved"},
		also: map[string]want{"R": {at: "store{id} /mgr/settings/customer-types", text: "problem.customer_type_twice",
			status: http.StatusUnprocessableEntity}}},
	{name: "Make a new first password", make: formNewFirstPassword, agent: desktopAgent,
		want: want{at: "store{id} /mgr/people/{id}", text: "person.given_once"}},
	{
		name: "Accept an offered account", make: formAnswerOffer("accept", "account_set_up"), agent: phoneAgent,
		want: want{at: "mgr /home"}, also: map[string]want{"R": {at: "account /offers", text: "offers.none"}},
	},
	{
		name: "Decline an offered account", make: formAnswerOffer("decline", "offer_declined"), agent: phoneAgent,
		want: want{at: "account /offers", text: "offers.declined"},
		also: map[string]want{"R": {at: "account /offers", text: "offers.none"}},
	},
	{
		name:  "Set up an account after an invitation",
		make:  formSetUpAccount,
		agent: phoneAgent,
		want:  want{at: "m /shop"},
		also: map[string]want{"R": {at: "store{id} /register/complete", text: "complete.used",
			status: http.StatusNotFound}},
	},
	{name: "Approve an application", make: formReview("approve"), agent: desktopAgent,
		want: want{at: "store{id} /mgr/applications/{id}", text: "application.approved"}},
	{name: "Reject an application", make: formReview("reject"), agent: desktopAgent,
		want: want{at: "store{id} /mgr/applications/{id}", text: "application.rejected"}},
	{name: "End a partnership", make: formPartnership("end"), agent: desktopAgent,
		want: want{at: "store{id} /mgr/customers/{id}", text: "customer.resume"}},
	{name: "Resume a partnership", make: formPartnership("resume"), agent: desktopAgent,
		want: want{at: "store{id} /mgr/customers/{id}", text: "customer.end"}},
	{name: "Put a product into the cart", make: formPutIntoCart, agent: phoneAgent, want: want{at: "m /shop"}},
	{name: "Order", make: formOrder, agent: phoneAgent, want: want{at: "m /shop/orders", text: "order.ordered"},
		also: map[string]want{"R": {at: "m /shop/cart", text: "cart.none"}}},
	{name: "Repeat an order", make: formRepeatOrder, agent: phoneAgent, want: want{at: "m /shop/cart",
		text: "cart.order"}},
	{name: "Add a product", make: formAddProduct, agent: desktopAgent,
		want: want{at: "store{id} /mgr/products/{id}", text: "product.added"}, asks: "RT"},
	{name: "Edit a product", make: formEditProduct, agent: desktopAgent,
		want: want{at: "store{id} /mgr/products/{id}", text: "settings.saved"}},
	{name: "Take a product out of the shop", make: formSwitchProduct, agent: desktopAgent,
		want: want{at: "store{id} /mgr/products/{id}", text: "product.switch_on"}},
	{name: "Confirm an order", make: formConfirmOrder, agent: desktopAgent,
		want: want{at: "store{id} /mgr/orders/{id}", text: "order.confirmed"}},
	{name: "Confirm several orders", make: formConfirmOrders, agent: desktopAgent,
		want: want{at: "store{id} /mgr/orders/bulk", text: "bulk.done"},
		also: map[string]want{"R": {at: "store{id} /mgr/orders/bulk", text: "bulk.done_before"},
			"T": {at: "store{id} /mgr/orders/bulk", text: "bulk.done_before"}}},
	{name: "Choose a file of customers", make: formChooseFile, agent: desktopAgent,
		want: want{at: "store{id} /mgr/customers/import", text: "import.another"}},
	{name: "Import customers", make: formImportCustomers, agent: desktopAgent,
		want: want{at: "store{id} /mgr/customers/import", text: "import.another"}},
	{name: "Save a filter", make: formSaveFilter, agent: desktopAgent,
		want: want{at: "store{id} /mgr/orders", text: "filters.edit"}},
	{name: "Registration of customers", make: formRegistrationSettings, agent: desktopAgent,
		want: want{at: "store{id} /mgr/settings/registration", text: "settings.saved"}},
	{name: "Rights of employees", make: formEmployeeRights, agent: desktopAgent,
		want: want{at: "store{id} /mgr/settings/employees", text: "employees.saved"}},
	{name: "Bank account", make: formBankAccount, agent: desktopAgent,
		want: want{at: "store{id} /mgr/settings/bank", text: "settings.saved"}},
	{name: "Greeting of the sign-in page", make: formGreeting, agent: desktopAgent,
		want: want{at: "store{id} /mgr/settings/welcome", text: "settings.saved"}},
	{name: "Appearance: publish", make: formPublishAppearance, agent: desktopAgent,
		want: want{at: "store{id} /mgr/settings/appearance", text: "settings.saved"}},
	{
		name:  "Claim a domain",
		make:  formClaimDomain,
		agent: desktopAgent,
		want:  want{at: "store{id} /mgr/settings/appearance"},
	},
	{name: "Clear the samples", make: formClearSamples, agent: desktopAgent,
		want: want{at: "store{id} /mgr/settings/initialisation", text: "office.clear_nothing"}},
	{
		name:  "Choose the default company",
		make:  formDefaultCompany,
		agent: phoneAgent,
		want:  want{at: "account /company"},
	},
	{name: "Sign out", make: formSignOut, agent: phoneAgent, want: want{at: "account /login"}},
}

func TestTableOfFormsNamesEachFormOnce(t *testing.T) {
	t.Parallel()
	var names []string
	for _, row := range formRows {
		if slices.Contains(names, row.name) {
			t.Errorf("%q is listed twice", row.name)
		}
		names = append(names, row.name)
	}
}
