// Package extract turns the bytes of a page or a file into text in which quotes
// can be found again: UTF-8, in document order, with byte offsets of everything
// that was recognised in it.
package extract
