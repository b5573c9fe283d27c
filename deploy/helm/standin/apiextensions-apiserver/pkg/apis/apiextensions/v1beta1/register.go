// Package v1beta1 has nothing to register.
package v1beta1

import "k8s.io/apimachinery/pkg/runtime"

// AddToScheme adds nothing.
func AddToScheme(*runtime.Scheme) error { return nil }
