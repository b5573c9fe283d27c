// Package support is tickets between customers and staff.
package support
