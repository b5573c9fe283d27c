// Package execution shapes transfers of coin, and checks where they go.
package execution
