// Package chore keeps how the recurring work of the sweep does: when each chore last succeeded, and why it failed.
package chore
