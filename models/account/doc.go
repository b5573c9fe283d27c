// Package account owns accounts: users, sessions, profiles, and the second factor.
package account
