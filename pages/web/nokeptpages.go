//go:build dev

package web

// keptPages is how many bytes of sign-in pages are kept: none in make dev, where the text of a template may have changed.
const keptPages = 0
