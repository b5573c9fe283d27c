// Package policy defines which role holds which permission.
package policy
