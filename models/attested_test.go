package models_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/internal/local/source"
	"github.com/tradepost/tradepost/models/dualcontrol"
)

// attestedBy maps each event of a posting to the attestation that a person's action behind it needs, or to the reason why it
// needs none.
var attestedBy = map[string]struct {
	kind dualcontrol.Kind
	why  string
}{
	"receipt_confirmed": {kind: dualcontrol.Receipt}, "receipt_allocated": {kind: dualcontrol.Receipt}, "money_received": {kind: dualcontrol.Receipt},
	"money_left_over": {kind: dualcontrol.Receipt}, "unplaced_received": {kind: dualcontrol.Receipt},
	"receipt_reversed": {kind: dualcontrol.Receipt}, "return_reinstated": {kind: dualcontrol.Receipt}, "unplaced_credited": {kind: dualcontrol.Credit},
	"recall_reinstated": {kind: dualcontrol.Credit}, "journal": {kind: dualcontrol.Credit}, "gift_card_claim_reversed": {kind: dualcontrol.Credit},
	"gift_card_paid": {kind: dualcontrol.CardValue}, "payout_returned": {kind: dualcontrol.PayoutReturned}, "refunded": {kind: dualcontrol.Refund}, "refunded_in_part": {kind: dualcontrol.Refund},
	"voucher_issued": {kind: dualcontrol.Batch}, "reconciled": {kind: dualcontrol.BreakBooked}, "closed_account_paid": {kind: dualcontrol.PaidBack},

	"captured": {why: "the card processor says so"}, "paid_from_balance": {why: "the customer spends what was credited before"},
	"bonus_credited": {why: "the tier's rule"}, "bonus_taken_back": {why: "takes"}, "referral_rewarded": {why: "a fixed, small sum"}, "signup_bonus_credited": {why: "a fixed, small sum"},
	"dispute_claimed": {why: "takes"}, "claim_returned": {why: "what was taken before, as the bank or custody says"},
	"credit_recalled":   {why: "takes"},
	"reward_taken_back": {why: "takes"}, "gift_card_claimed": {why: "takes"}, "debt_paid": {why: "takes"}, "payout_requested": {why: "the customer's own balance"}, "payout_paid": {why: "leaves; its approval is attested"},
	"payout_released": {why: "the customer's own balance"}, "transfer_died": {why: "two people declare a death, and money that was refunded is booked back"},
}

var posters = []string{"Post", "PostAbout", "credit", "booking", "About", "giveBack", "postVoucher", "Credit"}

var eventName = regexp.MustCompile(`^[a-z]+(_[a-z]+)+$|^(captured|refunded|journal|reconciled|sent|reserved|released|unsold|disputed|restored|test)$`)

// Every posting that credits a customer's balance or a prepaid order on a person's action needs an attestation. A posting with a
// new event fails this test until it is listed.
func TestEveryCreditIsAttested(t *testing.T) {
	booked := postingEvents(t)
	require.Greater(t, len(booked), 30, "the parser finds them")
	booked = append(booked, namedElsewhere...)
	for event, known := range attestedBy {
		require.Contains(t, booked, event, "attestedBy lists an event that nothing books")
		require.NotEqual(t, known.kind == "", known.why == "", event)
		if known.kind != "" {
			require.Contains(t, dualcontrol.Kinds, known.kind, event)
		}
	}
	for _, event := range booked {
		_, known := attestedBy[event]
		require.True(t, known || slices.Contains(creditNobody, event), "%s is a posting: name its attestation in attestedBy, or list it in creditNobody", event)
		require.False(t, known && slices.Contains(creditNobody, event), event)
	}
}

// creditNobody are the events whose postings credit neither a customer nor a prepaid order by a person's action.
var creditNobody = []string{"balance_released", "balance_reserved", "dispute_lost", "dispute_reinstated", "disputed",
	"fee_settled", "float_seeded", "gift_card_realised", "proceeds_returned", "proceeds_taken_back", "refund_bounced", "refund_excess",
	"released", "reserved", "sent", "surplus_returning", "surplus_taken_back", "transfer_revived", "unplaced_sent_back", "unsold", "voucher_ended"}

// namedElsewhere are the events of postings whose name is a variable, or in a function of Postgres.
var namedElsewhere = []string{"bonus_credited", "bonus_taken_back", "referral_rewarded", "signup_bonus_credited", "refunded_in_part", "paid_from_balance"}

// postingEvents are the events of the postings in the source of models.
func postingEvents(t *testing.T) (events []string) {
	t.Helper()
	files, err := source.Files(".")
	require.NoError(t, err)
	for _, path := range files {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		require.NoError(t, err)
		ast.Inspect(file, func(node ast.Node) bool {
			switch n := node.(type) {
			case *ast.CallExpr:
				if name := calledName(n.Fun); slices.Contains(posters, name) {
					events = append(events, firstEvent(n.Args)...)
				}
			case *ast.CompositeLit:
				if calledName(n.Type) == "StoredPosting" {
					for _, element := range n.Elts {
						if pair, is := element.(*ast.KeyValueExpr); is && calledName(pair.Key) == "Event" {
							events = append(events, firstEvent([]ast.Expr{pair.Value})...)
						}
					}
				}
			}
			return true
		})
	}
	slices.Sort(events)
	return slices.Compact(events)
}

func calledName(e ast.Expr) string {
	switch f := e.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	}
	return ""
}

func firstEvent(args []ast.Expr) []string {
	for _, arg := range args {
		if text, is := arg.(*ast.BasicLit); is && text.Kind == token.STRING {
			if name, err := strconv.Unquote(text.Value); err == nil && eventName.MatchString(name) {
				return []string{name}
			}
		}
	}
	return nil
}
