// Package risk is the risk signals of orders and redemptions: rules, address lists, and compliance's reviews.
package risk
