// Package risk is what speaks against an order or a redemption: rules, address lists, and compliance's reviews.
package risk
