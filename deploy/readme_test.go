package deploy

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// minimum is an engines field with a minimum version of Node alone.
var minimum = regexp.MustCompile(`^>= ?(\d+)\.(\d+)(?:\.\d+)?$`)

// README.md names the version of Node that no package of the web app warns about, the one that still builds, and the
// image's.
func TestREADMENamesTheVersionOfNode(t *testing.T) {
	var lock struct {
		Packages map[string]struct{ Engines json.RawMessage }
	}
	require.NoError(t, json.Unmarshal([]byte(read(t, "web/package-lock.json")), &lock))
	var newest [2]int
	for name, one := range lock.Packages {
		var engines struct{ Node string }
		if json.Unmarshal(one.Engines, &engines) != nil { // a list, in old packages
			continue
		}
		found := minimum.FindStringSubmatch(engines.Node)
		if found == nil {
			continue
		}
		major, err := strconv.Atoi(found[1])
		require.NoError(t, err, name)
		minor, err := strconv.Atoi(found[2])
		require.NoError(t, err, name)
		if major > newest[0] || major == newest[0] && minor > newest[1] {
			newest = [2]int{major, minor}
		}
	}
	var own struct{ Engines struct{ Node string } }
	require.NoError(t, json.Unmarshal([]byte(read(t, "web/package.json")), &own))
	image := names(`FROM node:(\d+)\.`, read(t, "Dockerfile"))
	require.Len(t, image, 1)
	builds := own.Engines.Node[2:] // after >=
	want := fmt.Sprintf("Node ≥ %d.%d (%s in the image; %s builds too", newest[0], newest[1], image[0], builds)
	require.Contains(t, read(t, "README.md"), want)
}
