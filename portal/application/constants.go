package application

// CountShown is the largest number of customers, orders or applications that is counted. Where there are more, the
// count is CountShown+1 and pages say so: counting them all would take longer the larger a company is.
const CountShown = 1000
