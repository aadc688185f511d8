//go:build !dev

package web

// keptPages is how many bytes of sign-in pages are kept.
const keptPages = SignInPagesSize
