// Package pricing is the price and the conditions of a purchase: methods, tiers, countries, markets, quotes, limits
// and the switches that pause something.
package pricing
