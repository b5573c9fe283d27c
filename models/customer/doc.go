// Package customer is the view and the acts of staff on a customer.
package customer
