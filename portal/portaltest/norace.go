//go:build !race

package portaltest

// Slowly is how many times smaller pictures are where the race detector makes decoding them slow.
const Slowly = 1
