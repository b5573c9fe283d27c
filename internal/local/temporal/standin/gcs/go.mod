// Module gcs stands in for cloud.google.com/go/storage: archives are not kept in
// Google's cloud here (docs/decisions/0038).
module cloud.google.com/go/storage

go 1.26.0

require google.golang.org/api v0.276.0
