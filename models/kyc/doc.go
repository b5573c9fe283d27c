// Package kyc is the identity of customers: verifications, their reviews, and what it permits.
package kyc
