package kraken

import (
	"crypto/sha256"
	"encoding/json"
	"strings"
	"time"

	"github.com/btcsuite/btcd/address/v2"
	"github.com/btcsuite/btcd/chaincfg/v2"
	"github.com/ethereum/go-ethereum/common"
	"github.com/shopspring/decimal"

	"github.com/tradepost/tradepost/internal/sandbox"
)

// deposit is coin that arrived at an address of the account.
type deposit struct {
	Method  string          `json:"method"`
	Network string          `json:"network"`
	Class   string          `json:"aclass"`
	Asset   string          `json:"asset"`
	RefID   string          `json:"refid"`
	TxID    string          `json:"txid"`
	Info    string          `json:"info"`
	Amount  decimal.Decimal `json:"amount"`
	Fee     decimal.Decimal `json:"fee"`
	Time    second          `json:"time"`
	Status  string          `json:"status"`
}

// depositAddress is where the account receives an asset, always the same; empty for money,
// which arrives by the bank.
func depositAddress(who string, m method) string {
	sum := sha256.Sum256([]byte("deposit " + who + " " + m.Network))
	switch m.Network {
	case "Bitcoin":
		a, err := address.NewAddressWitnessPubKeyHash(sum[:20], &chaincfg.MainNetParams)
		if err != nil {
			return ""
		}
		return a.EncodeAddress()
	case "Ethereum":
		return common.BytesToAddress(sum[:20]).Hex()
	}
	return ""
}

// incoming are the methods by which the asset of the call arrives.
func (c *call) incoming() ([]method, error) {
	a, known := findAsset(c.fields["asset"])
	if !known {
		return nil, refusal(errFundingAsset)
	}
	list := []method{}
	for _, m := range methods {
		if m.Asset == a.Code && depositAddress(c.who.Name, m) != "" {
			list = append(list, m)
		}
	}
	return list, nil
}

// depositMethods is DepositMethods.
func (s *Simulator) depositMethods(c *call) (any, error) {
	list, err := c.incoming()
	rows := []map[string]any{}
	for _, m := range list {
		rows = append(rows, map[string]any{"method": m.Name, "limit": false, "fee": decimal.Zero.StringFixed(lotDecimals), "gen-address": true, "minimum": m.Minimum})
	}
	return rows, err
}

// depositAddresses is DepositAddresses: one of each method, new or not.
func (s *Simulator) depositAddresses(c *call) (any, error) {
	list, err := c.incoming()
	if err != nil {
		return nil, err
	}
	for _, m := range list {
		if m.Name == c.fields["method"] {
			return []map[string]any{{"address": depositAddress(c.who.Name, m), "expiretm": "0", "new": c.fields.on("new")}}, nil
		}
	}
	return nil, refusal(errFundingMethod)
}

// depositStatus is DepositStatus, newest first.
func (s *Simulator) depositStatus(c *call) (any, error) {
	start, end, err := s.span(c)
	if err != nil {
		return nil, err
	}
	a, known := findAsset(c.fields["asset"])
	if c.fields["asset"] != "" && !known {
		return nil, refusal(errFundingAsset)
	}
	rows := []deposit{}
	err = c.tx.Each(bucketDeposit, c.who.Name+"/", func(_ string, raw []byte) error {
		var d deposit
		if err := json.Unmarshal(raw, &d); err != nil {
			return err
		}
		fits := (a.Code == "" || a.Code == d.Asset) && (c.fields["method"] == "" || c.fields["method"] == d.Method)
		if at := time.Time(d.Time); fits && at.After(start) && (end.IsZero() || !at.After(end)) {
			rows = append(rows, d)
		}
		return nil
	})
	return rows, err
}

// receive books coin that was sent to an address of ours: the balance, its ledger line and
// the deposit commit with the sending.
func (s *Simulator) receive(tx *sandbox.Tx, coin sandbox.Coin) (ours bool, err error) {
	a, known := findAsset(coin.Asset)
	if !known {
		return false, nil
	}
	for _, who := range s.accounts {
		for _, m := range methods {
			if m.Asset != a.Code || strings.ToLower(m.Network) != coin.Network || !strings.EqualFold(depositAddress(who.Name, m), coin.Address) {
				continue
			}
			d := deposit{
				Method: m.Name, Network: m.Network, Class: "currency", Asset: a.Code, RefID: newID("F"), TxID: coin.TxID, Info: coin.Address,
				Amount: coin.Amount.Truncate(a.Decimals), Time: second(coin.At), Status: "Success",
			}
			if err := book(tx, who, coin.At, "deposit", d.RefID, a.Code, d.Amount, decimal.Zero); err != nil {
				return true, err
			}
			return true, tx.Put(bucketDeposit, strings.Join([]string{who.Name, newestFirst(coin.At), d.RefID}, "/"), d)
		}
	}
	return false, nil
}
