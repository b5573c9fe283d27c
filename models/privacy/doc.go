// Package privacy is a person's rights: a copy of their data, the end of an account, and erasure.
package privacy
