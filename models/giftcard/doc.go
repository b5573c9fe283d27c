// Package giftcard is gift cards that customers sell: what is printed on them is sealed, and read by their reviewers
// alone.
package giftcard
