// Package team manages the roles of staff; giving one needs two admins.
package team
