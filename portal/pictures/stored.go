package pictures

// AbandonedAtOnce is how many files one statement reads.
const AbandonedAtOnce = 100
