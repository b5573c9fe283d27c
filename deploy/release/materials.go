package main

import (
	"bytes"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	bom "github.com/CycloneDX/cyclonedx-go"
	slsa "github.com/in-toto/attestation/go/predicates/provenance/v1"
	intoto "github.com/in-toto/attestation/go/v1"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/types/known/structpb"
)

// writeMaterials writes the bill of materials (CycloneDX): the modules that the
// programs say they are made of, and the packages that the web app's lock file names.
func writeMaterials(from source, o options, bin string) error {
	modules, err := modulesOf(bin)
	if err != nil {
		return err
	}
	packages, err := packagesOf(filepath.Join(from.root, "web", "package-lock.json"))
	if err != nil {
		return err
	}
	all := bom.NewBOM()
	all.Metadata = &bom.Metadata{Timestamp: from.at.Format("2006-01-02T15:04:05Z"), Component: &bom.Component{
		Type: bom.ComponentTypeApplication, Name: "tradepost", Version: o.Version, BOMRef: "tradepost@" + o.Version,
	}}
	components := slices.Concat(modules, packages)
	slices.SortFunc(components, func(a, b bom.Component) int { return strings.Compare(a.PackageURL, b.PackageURL) })
	all.Components = &components
	file, err := os.Create(filepath.Join(o.Out, "tradepost-"+o.Version+".cdx.json"))
	if err != nil {
		return err
	}
	return errors.Join(bom.NewBOMEncoder(file, bom.BOMFileFormatJSON).SetPretty(true).Encode(all), file.Close())
}

// modulesOf reads the modules that are linked into the programs, the toolchain among them.
func modulesOf(bin string) ([]bom.Component, error) {
	entries, err := os.ReadDir(bin)
	if err != nil {
		return nil, err
	}
	found := map[string]bom.Component{}
	for _, entry := range entries {
		info, err := buildinfo.ReadFile(filepath.Join(bin, entry.Name()))
		if err != nil {
			return nil, err
		}
		note := func(name, version, sum string) {
			url := "pkg:golang/" + name + "@" + version
			c := bom.Component{Type: bom.ComponentTypeLibrary, Name: name, Version: version, PackageURL: url, BOMRef: url}
			if sum != "" {
				c.Properties = &[]bom.Property{{Name: "go:sum", Value: sum}}
			}
			found[url] = c
		}
		note("stdlib", info.GoVersion, "")
		for _, module := range info.Deps {
			if module.Replace != nil {
				module = module.Replace
			}
			note(module.Path, module.Version, module.Sum)
		}
	}
	return slices.Collect(maps.Values(found)), nil
}

// packagesOf reads the web app's packages from npm's lock file, without those that only
// build or test it. (npm's own command leaves out what those need as well.)
func packagesOf(file string) ([]bom.Component, error) {
	raw, err := os.ReadFile(filepath.Clean(file))
	if err != nil {
		return nil, err
	}
	var lock struct {
		Packages map[string]struct {
			Version, Integrity, License string
			Dev, DevOptional            bool
		}
	}
	if err := json.Unmarshal(raw, &lock); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	var found []bom.Component
	for path, p := range lock.Packages {
		_, name, installed := strings.Cut(path[max(0, strings.LastIndex(path, "node_modules/")):], "node_modules/")
		if !installed || p.Dev || p.DevOptional {
			continue
		}
		url := "pkg:npm/" + strings.Replace(name, "@", "%40", 1) + "@" + p.Version
		c := bom.Component{Type: bom.ComponentTypeLibrary, Name: name, Version: p.Version, PackageURL: url, BOMRef: url}
		if p.License != "" {
			c.Licenses = &bom.Licenses{{Expression: p.License}}
		}
		if sum, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(p.Integrity, "sha512-")); err == nil {
			c.Hashes = &[]bom.Hash{{Algorithm: bom.HashAlgoSHA512, Value: hex.EncodeToString(sum)}}
		}
		found = append(found, c)
	}
	return found, nil
}

// writeProvenance writes the digests of all files, and a statement (in-toto, SLSA
// provenance v1) of the commit and the command that made them.
func writeProvenance(from source, o options) error {
	entries, err := os.ReadDir(o.Out)
	if err != nil {
		return err
	}
	var sums bytes.Buffer
	statement := &intoto.Statement{Type: intoto.StatementTypeUri, PredicateType: "https://slsa.dev/provenance/v1"}
	for _, entry := range entries {
		digest, err := digestOf(filepath.Join(o.Out, entry.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(&sums, "%s  %s\n", digest, entry.Name())
		statement.Subject = append(statement.Subject, &intoto.ResourceDescriptor{Name: entry.Name(), Digest: map[string]string{"sha256": digest}})
	}
	if statement.Predicate, err = provenance(from, o); err != nil {
		return err
	}
	if err := statement.Validate(); err != nil {
		return err
	}
	said, err := protojson.Marshal(statement)
	if err != nil {
		return err
	}
	var even bytes.Buffer // protojson varies its spaces by design
	if err := json.Indent(&even, said, "", "  "); err != nil {
		return err
	}
	return errors.Join(os.WriteFile(filepath.Join(o.Out, "tradepost-"+o.Version+".intoto.json"), append(even.Bytes(), '\n'), 0o644),
		os.WriteFile(filepath.Join(o.Out, "SHA256SUMS"), sums.Bytes(), 0o644))
}

func provenance(from source, o options) (*structpb.Struct, error) {
	platforms := make([]any, len(o.Platforms))
	for i, p := range o.Platforms {
		platforms[i] = p
	}
	asked, err := structpb.NewStruct(map[string]any{"version": o.Version, "platforms": platforms})
	if err != nil {
		return nil, err
	}
	said, err := protojson.Marshal(&slsa.Provenance{
		BuildDefinition: &slsa.BuildDefinition{
			BuildType: "urn:tradepost:make-release:v1", ExternalParameters: asked,
			ResolvedDependencies: []*intoto.ResourceDescriptor{{Name: "tradepost", Digest: map[string]string{"gitCommit": from.commit}}},
		},
		RunDetails: &slsa.RunDetails{Builder: &slsa.Builder{Id: o.Builder}},
	})
	if err != nil {
		return nil, err
	}
	predicate := new(structpb.Struct)
	return predicate, protojson.Unmarshal(said, predicate)
}

func digestOf(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = file.Close() }()
	hash := sha256.New()
	if _, err := io.Copy(hash, file); err != nil {
		return "", err
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}
