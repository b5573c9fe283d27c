// Package dualcontrol knows what one person alone may let in or give back.
package dualcontrol
