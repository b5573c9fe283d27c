// Package policy says which role holds which permission.
package policy
