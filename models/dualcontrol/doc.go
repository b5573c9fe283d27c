// Package dualcontrol is the limit of what one person of staff lets in for a customer within a day; above it a second
// one agrees.
package dualcontrol
