// Command helm renders the chart beside it as Helm does: values files over each other, the
// chart's schema, then its templates. It prints one JSON list of objects.
//
//	go run . values.yaml [more.yaml …]
package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path"
	"slices"
	"strings"

	"helm.sh/helm/v4/pkg/chart/common"
	"helm.sh/helm/v4/pkg/chart/common/util"
	chart "helm.sh/helm/v4/pkg/chart/v2"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	"helm.sh/helm/v4/pkg/engine"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// kubernetes is the release that the chart is rendered for.
const kubernetes = "1.37.0"

func main() {
	objects, _, err := renderFiles("tradepost", os.Args[1:]...)
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(objects)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// renderFiles renders the chart in a folder with values files laid over each other.
func renderFiles(folder string, files ...string) ([]object, string, error) {
	values := map[string]any{}
	for _, file := range files {
		raw, err := os.ReadFile(file) //nolint:gosec // the caller names the files
		if err != nil {
			return nil, "", err
		}
		var over map[string]any
		if err := yaml.UnmarshalStrict(raw, &over); err != nil {
			return nil, "", fmt.Errorf("%s: %w", file, err)
		}
		values = laid(values, over)
	}
	return render(folder, values)
}

// laid lays values over others, maps into each other.
func laid(under, over map[string]any) map[string]any {
	for name, value := range over {
		below, isMap := under[name].(map[string]any)
		if above, ok := value.(map[string]any); ok && isMap {
			value = laid(below, above)
		}
		under[name] = value
	}
	return under
}

// object is one that was rendered, with its text and the template it is of.
type object struct {
	*unstructured.Unstructured
	text, template string
}

// render renders the chart and answers its objects, and its notes.
func render(folder string, values map[string]any) (objects []object, notes string, err error) {
	c, err := loader.Load(folder)
	if err != nil {
		return nil, "", err
	}
	texts, err := rendered(c, values)
	if err != nil {
		return nil, "", err
	}
	for _, template := range slices.Sorted(maps.Keys(texts)) {
		if path.Base(template) == "NOTES.txt" {
			notes = texts[template]
			continue
		}
		for text := range strings.SplitSeq(texts[template], "\n---") {
			made := map[string]any{}
			if err := yaml.UnmarshalStrict([]byte(text), &made); err != nil {
				return nil, "", fmt.Errorf("%s: %w\n%s", template, err, text)
			}
			if len(made) > 0 {
				objects = append(objects, object{&unstructured.Unstructured{Object: made}, text, template})
			}
		}
	}
	return objects, notes, nil
}

func rendered(c *chart.Chart, values map[string]any) (map[string]string, error) {
	version, err := common.ParseKubeVersion(kubernetes)
	if err != nil {
		return nil, err
	}
	release := common.ReleaseOptions{Name: "shop", Namespace: "exchange", Revision: 1, IsInstall: true}
	whole, err := util.ToRenderValues(c, values, release, &common.Capabilities{KubeVersion: *version, APIVersions: common.DefaultVersionSet})
	if err != nil {
		return nil, err
	}
	return engine.Render(c, whole)
}
