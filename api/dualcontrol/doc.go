// Package dualcontrol holds the limits of what one person alone may accept or pay back.
package dualcontrol
