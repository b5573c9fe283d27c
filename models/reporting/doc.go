// Package reporting reads across the domains: the dashboard, transactions, search, and alerts.
package reporting
