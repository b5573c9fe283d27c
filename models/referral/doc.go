// Package referral is what bringing a friend earns: codes, rewards and their review.
package referral
