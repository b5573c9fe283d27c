// Package account is who has an account: users, sessions, profiles, and the second factor.
package account
