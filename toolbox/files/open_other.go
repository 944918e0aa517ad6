//go:build !unix

package files

// dontWait is for systems that have pipes among their files.
const dontWait = 0
