// Package team is who of staff has which role; giving one takes two admins.
package team
