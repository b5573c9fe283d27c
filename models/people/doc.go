// Package people owns the rows of users and their roles: who a person is, how they are named, and which accounts belong
// to one person. Sessions, consents and the second factor belong to account.
package people
