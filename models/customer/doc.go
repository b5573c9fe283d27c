// Package customer is what staff see and do about a customer.
package customer
