// Module apiextensions-apiserver stands in for k8s.io/apiextensions-apiserver: Helm
// registers its kinds, and the chart has none of them (docs/decisions/0048).
module k8s.io/apiextensions-apiserver

go 1.26.0

require k8s.io/apimachinery v0.37.2
