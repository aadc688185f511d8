//go:build race

package pictures_test

// slowness is how many times smaller pictures are where the race detector makes decoding them slow.
const slowness = 2
