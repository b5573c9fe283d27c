// Package kyc is the identity of customers: verifications, their reviews, and who may do what.
package kyc
