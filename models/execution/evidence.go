package execution

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tradepost/tradepost/internal/typed"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/store"
)

// SameTransaction reports whether two ids name one transaction.
func SameTransaction(a, b string) bool { return money.TransactionKey(a) == money.TransactionKey(b) }

// TransactionForms returns the lower-case forms in which an id of a transaction may be stored.
func TransactionForms(txid string) []string {
	key := money.TransactionKey(txid)
	return []string{key, "0x" + key}
}

// CheckEvidence returns a Conflict if a transfer that a person names, by its transaction or by custody's id, is
// recorded for another order, a redemption or a move of coin, or if custody's statement shows it as a transfer for
// another one.
// Ids are compared however they were copied (typed.Reference). It holds a lock on both, so that of two concurrent
// decisions one finds the other's effect.
func (s *Subject) CheckEvidence(txid, transferID string) error {
	txid, transferID = typed.Reference(txid), typed.Reference(transferID)
	transfer := strings.ToLower(transferID)
	keys := []string{"transaction:" + money.TransactionKey(txid), "transfer:" + transfer}
	slices.Sort(keys)
	for _, key := range keys {
		if err := s.Tx.LockKey(s.Ctx, "evidence "+key); err != nil {
			return fmt.Errorf("lock evidence: %w", err)
		}
	}
	var used bool
	err := s.Tx.Row(s.Ctx, `SELECT EXISTS (SELECT FROM orders WHERE id <> $1
		     AND (lower(txid) = ANY($2) OR lower(bitgo_transfer_id) = nullif($3, '')))
		OR EXISTS (SELECT FROM voucher_redemptions WHERE id <> $1 AND lower(txid) = ANY($2))
		OR EXISTS (SELECT FROM withdrawals WHERE coalesce(order_id, redemption_id) <> $1
		     AND (lower(txid) = ANY($2) OR lower(transfer_id) = nullif($3, '')))
		OR EXISTS (SELECT FROM treasury_moves WHERE lower(txid) = ANY($2))
		OR EXISTS (SELECT FROM statement_lines WHERE holder = `+ledger.ProviderOf(ledger.Custody)+`
		     AND (txid = ANY($2) OR id = nullif($4, ''))
		     AND key ~ '^transfer:(ord|vou)-[0-9a-f-]{36}-' AND substr(key, length('transfer:ord-') + 1, 36) <> $1::text)`,
		s.ID, TransactionForms(txid), transfer, transferID).Scan(&used)
	if err != nil {
		return fmt.Errorf("look for other uses of the evidence: %w", err)
	}
	if used {
		return store.Conflict("transfer_other",
			"This transfer is already recorded for another order, voucher or move of crypto")
	}
	return nil
}
