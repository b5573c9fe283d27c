// Module client-go stands in for k8s.io/client-go, of which Helm's renderer needs the
// names alone: nothing here speaks to a cluster (docs/decisions/0048).
module k8s.io/client-go

go 1.26.0

require (
	k8s.io/api v0.37.2
	k8s.io/apimachinery v0.37.2
)
