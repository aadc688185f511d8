//go:build !race

package portal_test

// slowly is how many times smaller pictures are where the race detector makes decoding them slow.
const slowly = 1
