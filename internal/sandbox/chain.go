package sandbox

import (
	"time"

	"github.com/shopspring/decimal"
)

// Chain is the networks between the simulators: coin that one of them sends to
// an address of another arrives there, in the transaction that sends it.
type Chain struct {
	receivers []func(tx *Tx, d Coin) (ours bool, err error)
}

// Coin is what is on its way to an address.
type Coin struct {
	Asset   string // BTC, ETH, USDT or USDC
	Network string // bitcoin, ethereum or tron
	Address string
	Amount  decimal.Decimal // whole coins
	TxID    string
	At      time.Time
}

// OnDelivery adds an owner of addresses; receive reports whether one is theirs.
func (c *Chain) OnDelivery(receive func(tx *Tx, d Coin) (ours bool, err error)) {
	c.receivers = append(c.receivers, receive)
}

// Deliver credits coin to the owner of the address; coin for any other address leaves the
// simulation.
func (c *Chain) Deliver(tx *Tx, d Coin) error {
	for _, receive := range c.receivers {
		ours, err := receive(tx, d)
		if ours || err != nil {
			return err
		}
	}
	return nil
}
