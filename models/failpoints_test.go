package models_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// The kill tests name a transaction after an exported function of a package below models, at any depth. The pattern is
// read from the source, since only builds with the tag failpoints hold it.
func TestFailpointsNameFunctionsAtEveryDepth(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "store/failpoints.go", nil, 0)
	require.NoError(t, err)
	var exported *regexp.Regexp
	ast.Inspect(file, func(node ast.Node) bool {
		if spec, is := node.(*ast.ValueSpec); is && spec.Names[0].Name == "exported" {
			text, err := strconv.Unquote(spec.Values[0].(*ast.CallExpr).Args[0].(*ast.BasicLit).Value)
			require.NoError(t, err)
			exported = regexp.MustCompile(text)
		}
		return true
	})
	require.NotNil(t, exported, "store/failpoints.go declares its pattern")
	for function, name := range map[string]string{
		ownPath + "order.StartCapture":                             "StartCapture",
		ownPath + "order.(*OrderChange).StartCapture":              "StartCapture",
		ownPath + "order.StartCapture.func1":                       "StartCapture",
		ownPath + "casework.(*Decisions[...]).Store":               "Store",
		ownPath + "order/delivery.ReserveFloat":                    "ReserveFloat",
		ownPath + "order/delivery.(*Subject).ReserveFloat.func2.1": "ReserveFloat",
		ownPath + "order/delivery/bank.Send":                       "Send",
		ownPath + "order.reserve":                                  "",
		ownPath + "order/delivery.reserve":                         "",
		"github.com/tradepost/tradepost/api/order.StartCapture":    "",
	} {
		found := exported.FindStringSubmatch(function)
		if name == "" {
			require.Nil(t, found, function)
			continue
		}
		require.NotNil(t, found, function)
		require.Equal(t, name, found[1], function)
	}
}
