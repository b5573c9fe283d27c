// Package pricing is what a purchase costs and who may make it: methods, tiers, countries, markets, quotes, limits and
// the switches that pause something.
package pricing
