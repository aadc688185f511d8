package pagestest

const Office = "http://store1001.portico.test/mgr"
