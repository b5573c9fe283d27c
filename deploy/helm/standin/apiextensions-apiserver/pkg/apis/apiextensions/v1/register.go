// Package v1 has nothing to register.
package v1

import "k8s.io/apimachinery/pkg/runtime"

// AddToScheme adds nothing.
func AddToScheme(*runtime.Scheme) error { return nil }
