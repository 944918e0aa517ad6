// Package apicall has what one streamed HTTP call of a provider needs besides
// its own format: a transport, a watch over silence, and the reading of what
// gateways and proxies answer in place of the API.
package apicall
