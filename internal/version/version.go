// Package version is what a binary was built from.
package version

import (
	"cmp"
	"fmt"

	"github.com/prometheus/common/version"
)

// String is the release ("unreleased" without one), the commit and the toolchain. `make
// release` links the first two in; otherwise the commit is the toolchain's stamp.
func String() string {
	return fmt.Sprintf("%s, revision %s, %s", Release(), version.GetRevision(), version.GoVersion)
}

// Release is the version that the binary was released as.
func Release() string { return cmp.Or(version.Version, Unreleased) }

// Unreleased is the Release of a binary that is none.
const Unreleased = "unreleased"
