// Package corpus turns a folder of documents into a searchable index.
package corpus
