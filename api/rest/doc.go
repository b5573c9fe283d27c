// Package rest is the kernel of the API: the table of routes with its guard, problem details, paging, CSV, uploads and languages.
package rest
