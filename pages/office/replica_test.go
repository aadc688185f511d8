package office_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"portico/e2e/testscope"
	"portico/pages/pagestest"
	"portico/store"
	"portico/store/pool"
	"portico/store/storetest"
)

func TestListsFromTheReplicaSayAsOfWhenTheyAre(t *testing.T) {
	testscope.OnlyInAll(t, "it needs two Postgres servers")
	address := storetest.Server(t)
	standby := storetest.Standby(t, address)
	db, err := store.Open(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	if err := db.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	replica, err := db.UseReplica(standby, pool.Default)
	if err != nil {
		t.Fatal(err)
	}
	s := pagestest.NewSite(t, pagestest.Options{DB: db})
	buyer, seller := s.SignInByPhone("13800000001"), s.SignInByPhone("13800000002")
	storetest.AwaitReplica(t, replica)
	storetest.PauseReplay(t, standby)

	const asOf, orders = "列表数据截至", "http://store1001.portico.test/home/orders"
	product := pagestest.FindIn(t, pagestest.Text(t, buyer.Get(pagestest.Shop)), `name="quantity_(\d+)"`)
	before := countOrders(t, buyer.Get(orders))
	placed := buyer.Post(pagestest.Shop+"/orders", "product_id", product, "quantity", "2")
	pagestest.WantStatus(t, placed, http.StatusSeeOther)
	own := pagestest.WantPage(t, buyer.Get(orders), http.StatusOK)
	if after := strings.Count(own, "/home/orders/"); after <= before || strings.Contains(own, asOf) {
		t.Errorf("the buyer sees %d links of orders, %d before", after, before)
	}
	number := pagestest.FindIn(t, own, `href="/home/orders/(\d+)"`)
	theirs := "/mgr/orders/" + number
	list := pagestest.WantPage(t, seller.Get(pagestest.Office+"/orders"), http.StatusOK, asOf)
	if strings.Contains(list, theirs) {
		t.Error("the replica has an order that it has not got yet")
	}
	for _, page := range []string{"", "/customers", "/people", "/audit", "/applications"} {
		pagestest.WantPage(t, seller.Get(pagestest.Office+page), http.StatusOK, asOf)
	}
	file := seller.Get(pagestest.Office + "/audit.csv").Header.Get("Content-Disposition")
	if !regexp.MustCompile(`audit-1001-\d{4}-\d\d-\d\d-\d{6}\.csv`).MatchString(file) {
		t.Error(file)
	}
	one := pagestest.WantPage(t, seller.Get("http://store1001.portico.test"+theirs), http.StatusOK, `value="confirm"`)
	if strings.Contains(one, asOf) {
		t.Error("a single order does not come from the main database")
	}

	pagestest.WantStatus(t, seller.Post("http://store1001.portico.test"+theirs, "action", "confirm"),
		http.StatusSeeOther)
	list = pagestest.WantPage(t, seller.Get(pagestest.Office+"/orders"), http.StatusOK, theirs)
	if strings.Contains(list, asOf) {
		t.Error("after a change of their own, the list does not come from the main database")
	}
	storetest.ResumeReplay(t, standby)
	storetest.AwaitReplica(t, replica)
	pagestest.WantPage(t, seller.Get(pagestest.Office+"/orders"), http.StatusOK, theirs, asOf)
}

func countOrders(t *testing.T, r *http.Response) int {
	t.Helper()
	return strings.Count(pagestest.WantPage(t, r, http.StatusOK), "/home/orders/")
}
