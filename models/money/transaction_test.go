package money

import (
	"strings"
	"testing"
)

// One transaction is shown in one form, that of explorers, however it was written.
func TestTransactionsAreShownAsExplorersWriteThem(t *testing.T) {
	id := strings.Repeat("ab12", 16)
	for _, written := range []string{id, "0x" + id, strings.ToUpper(id), "0X" + strings.ToUpper(id), " " + id + "\n"} {
		for network, want := range map[string]string{Ethereum: "0x" + id, Bitcoin: id, Tron: id} {
			if got := ShownTransaction(network, &written); *got != want {
				t.Errorf("%s %q: %s", network, written, *got)
			}
		}
	}
	other := "Not-an-id"
	if got := ShownTransaction(Ethereum, &other); *got != other {
		t.Error(*got)
	}
	if ShownTransaction(Bitcoin, nil) != nil {
		t.Error("there is none")
	}
}
