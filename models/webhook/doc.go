// Package webhook is the inbox of providers' webhooks: each is stored before it is acknowledged, and is open until
// its effect is there.
package webhook
