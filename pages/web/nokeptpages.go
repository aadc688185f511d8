//go:build dev

package web

// keptPages is how many bytes of sign-in pages are kept: none in make dev, where templates change meanwhile.
const keptPages = 0
