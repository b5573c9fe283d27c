package rest

import (
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// The keys that a new document keeps: those of the catalog that lead to the pages, and those that draw a page.
var (
	catalogKeys = types.NewStringSet([]string{"Type", "Pages", "Version"})
	pageKeys    = types.NewStringSet([]string{"Type", "Parent", "Kids", "Count", "MediaBox", "CropBox", "BleedBox", "TrimBox",
		"ArtBox", "Rotate", "UserUnit", "Resources", "Contents", "Group"})
	// activeKeys are removed everywhere: actions, scripts, forms, annotations, files and metadata.
	activeKeys = []string{"AA", "OpenAction", "JS", "JavaScript", "AcroForm", "XFA", "Annots", "EmbeddedFiles", "EF", "RF",
		"AF", "Launch", "RichMedia", "Metadata", "PieceInfo", "OPI", "Dests", "Outlines", "Collection"}
	// elsewhereKeys of a stream refer to contents outside the document.
	elsewhereKeys = []string{"F", "FFilter", "FDecodeParms", "Ref", "PS"}
)

// stripPDF removes everything from a document but what draws its pages.
func stripPDF(document *model.Context) error {
	catalog, err := document.Catalog()
	if err != nil {
		return err
	}
	keep(catalog, catalogKeys)
	catalog["Type"] = types.Name("Catalog")
	for _, entry := range document.Table {
		if entry == nil || entry.Free {
			continue
		}
		if err := stripObject(entry.Object, 0); err != nil {
			return err
		}
	}
	document.Info, document.ID = nil, nil
	document.Names, document.Outlines = nil, nil
	return nil
}

// pageTree is the tree of a document's pages while it is stripped.
type pageTree struct {
	document     *model.Context
	seen         map[types.Integer]bool
	nodes, pages int
}

// stripPages strips each node of the tree of pages by its place in it, whatever it calls itself.
func stripPages(document *model.Context) error {
	catalog, err := document.Catalog()
	if err != nil {
		return err
	}
	tree := &pageTree{document: document, seen: map[types.Integer]bool{}}
	return tree.strip(catalog["Pages"], 0)
}

func (t *pageTree) strip(at types.Object, depth int) error {
	t.nodes++
	reference, ok := at.(types.IndirectRef)
	if !ok || t.seen[reference.ObjectNumber] || depth > maxPDFDepth || t.nodes > maxPDFNodes {
		return errBadPDF
	}
	t.seen[reference.ObjectNumber] = true
	node, err := t.document.DereferenceDict(reference)
	if err != nil {
		return err
	}
	if node == nil {
		return errBadPDF
	}
	keep(node, pageKeys)
	if _, inner := node["Kids"]; !inner {
		node["Type"] = types.Name("Page")
		if t.pages++; t.pages > maxPages {
			return errLongPDF
		}
		return nil
	}
	node["Type"] = types.Name("Pages")
	kids, err := t.document.DereferenceArray(node["Kids"])
	if err != nil {
		return err
	}
	for _, kid := range kids {
		if err := t.strip(kid, depth+1); err != nil {
			return err
		}
	}
	return nil
}

func keep(dict types.Dict, keys types.StringSet) {
	for key := range dict {
		if !keys[key] {
			delete(dict, key)
		}
	}
}

// stripObject strips an object, and those within it. An object of a kind that is not known is an error.
func stripObject(object types.Object, depth int) error {
	if depth > maxPDFDepth {
		return errBadPDF
	}
	switch o := object.(type) {
	case nil, types.Boolean, types.Integer, types.Float, types.Name, types.StringLiteral, types.HexLiteral,
		types.IndirectRef:
		return nil
	case types.ObjectStreamDict, types.XRefStreamDict: // are not written
		return nil
	case types.Dict:
		return stripDict(o, depth)
	case types.StreamDict:
		return stripStream(o.Dict, depth)
	case *types.StreamDict:
		return stripStream(o.Dict, depth)
	case types.Array:
		for _, one := range o {
			if err := stripObject(one, depth+1); err != nil {
				return err
			}
		}
		return nil
	}
	return errBadPDF
}

func stripStream(dict types.Dict, depth int) error {
	for _, key := range elsewhereKeys {
		delete(dict, key)
	}
	return stripDict(dict, depth)
}

func stripDict(dict types.Dict, depth int) error {
	if kind := dict.Type(); kind != nil && (*kind == "Page" || *kind == "Pages") {
		keep(dict, pageKeys)
	}
	for _, key := range activeKeys {
		if _, isName := dict[key].(types.Name); !isName { // a value such as a blend mode runs nothing
			delete(dict, key)
		}
	}
	for _, one := range dict {
		if err := stripObject(one, depth+1); err != nil {
			return err
		}
	}
	return nil
}
