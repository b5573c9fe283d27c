package sandbox

import (
	"net/http"
	"slices"
	"strings"
)

// Operation is a kind of call, as faults name it.
type Operation struct {
	Name string `json:"name"`
	// Changes means that it has an effect; the others only read.
	Changes bool `json:"changes"`
	// Codes are the faults that the simulator itself has for it, beside those every
	// operation can have.
	Codes []string `json:"codes"`
}

// commonCodes are the faults that every operation over HTTP can have.
var commonCodes = []string{
	"drop_before", "drop_after", "slow:30", "http:500_before", "http:500_after", "http:503_before", "http:503_after", "429", "hold_before", "hold_after",
}

// listOperations answers what faults can be armed for: by provider its operations with
// their own codes, and those of all operations and of all webhooks.
func (c *control) listOperations(rw http.ResponseWriter, _ *http.Request) {
	type provider struct {
		Name       string      `json:"name"`
		Operations []Operation `json:"operations"`
	}
	list := []provider{}
	for _, s := range c.simulators {
		list = append(list, provider{s.Name(), sorted(s.Operations())})
	}
	WriteJSON(rw, http.StatusOK, map[string]any{"common": commonCodes, "webhook": hookCodes, "providers": list})
}

// sorted puts operations in order and makes one of those that share a name.
func sorted(operations []Operation) []Operation {
	merged := []Operation{}
	slices.SortStableFunc(operations, func(a, b Operation) int { return strings.Compare(a.Name, b.Name) })
	for _, o := range operations {
		last := len(merged) - 1
		if last < 0 || merged[last].Name != o.Name {
			o.Codes = append([]string{}, o.Codes...)
			merged = append(merged, o)
			continue
		}
		merged[last].Changes = merged[last].Changes || o.Changes
		for _, code := range o.Codes {
			if !slices.Contains(merged[last].Codes, code) {
				merged[last].Codes = append(merged[last].Codes, code)
			}
		}
	}
	return merged
}

// names are the operations of all simulators and what their faults can be, for
// the control page's lists.
func (c *control) names() (operations, codes []string) {
	codes = slices.Concat(commonCodes, hookCodes)
	for _, s := range c.simulators {
		for _, o := range s.Operations() {
			operations = append(operations, o.Name)
			for _, code := range o.Codes {
				if !slices.Contains(codes, code) {
					codes = append(codes, code)
				}
			}
		}
	}
	slices.Sort(operations)
	return slices.Compact(operations), codes
}
