//go:build race

package portaltest

// slowly is how many times smaller pictures are where the race detector makes decoding them slow.
const slowly = 2
