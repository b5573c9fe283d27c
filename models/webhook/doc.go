// Package webhook is the inbox of providers' notices: each is kept before it is acknowledged, and is open until its
// effect is there.
package webhook
