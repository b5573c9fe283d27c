// Package scheme has the kinds of Kubernetes that the chart may use.
package scheme

import (
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
)

// Scheme has the supported kinds, and Codecs reads them strictly: an unknown or repeated field is an error.
var (
	Scheme = runtime.NewScheme()
	Codecs = serializer.NewCodecFactory(Scheme, serializer.EnableStrict)
)

// AddToScheme adds the kinds.
var AddToScheme = (&runtime.SchemeBuilder{appsv1.AddToScheme, autoscalingv2.AddToScheme, batchv1.AddToScheme,
	corev1.AddToScheme, networkingv1.AddToScheme, policyv1.AddToScheme}).AddToScheme

func init() {
	if err := AddToScheme(Scheme); err != nil {
		panic(err)
	}
}
