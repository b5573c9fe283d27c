// Package kubernetes is named by Helm so that the module is among those of a build.
package kubernetes
