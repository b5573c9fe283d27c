// Package dualcontrol is the limit of what one member of staff credits to a customer within a day; above it a second
// one agrees.
package dualcontrol
