// Package rest has the name of a client's configuration.
package rest

// Config of a client; there is none.
type Config struct{}
