package memory

import (
	"testing"

	"github.com/tradepost/tradepost/internal/provider"
	"github.com/tradepost/tradepost/internal/provider/contract"
	"github.com/tradepost/tradepost/models/money"
)

func TestMemoryIsACustodian(t *testing.T) {
	opening := map[provider.Wallet]money.Units{}
	for w := range contract.Destinations {
		opening[w] = money.FromInt(10_000_000)
	}
	contract.Custodian(t, New("secret", opening), func() {})
}
