package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/models/money"
)

func TestNothingIsFoundWhereAllIsWell(t *testing.T) {
	require.Empty(t, Check(allIsWell()))
}

// planted is one violation, put into facts that are otherwise correct: the check that is to find it, and its message.
type planted struct {
	check, says string
	plant       func(f *Facts)
}

var plants = []planted{
	{"rest", "5 orders were to be made, and 4 are there", func(f *Facts) { f.Planned++ }},
	{"rest", "never came to rest: sent", func(f *Facts) { f.order(carded).ClosedAt = nil }},
	{"rest", "was closed while failed", func(f *Facts) { f.order(wired).Resolution = nil }},
	{"rest", "was closed while filled", func(f *Facts) { f.order(carded).Status = "filled" }},
	{"rest", "is over and still held, or asks its customer", func(f *Facts) { f.order(wired).ChoiceDueAt = &noon }},
	{"rest", "was closed as sent without payment or confirmation", func(f *Facts) { f.order(carded).ConfirmedAt = nil }},
	{"rest", "waits in a place without a way on: failed", func(f *Facts) { f.Stuck = append(f.Stuck, StuckFact{wired, "failed"}) }},
	{"rest", "its dispute was never closed", func(f *Facts) { f.Disputes[0].ClosedAt = nil }},
	{"rest", "its surplus of 700 is held for good", func(f *Facts) {
		f.Surpluses = append(f.Surpluses, SurplusFact{OrderID: wired, Amount: units(700)})
	}},
	{"rest", "its offer of less coin never ended", func(f *Facts) {
		f.CoinOffers = append(f.CoinOffers, CoinOfferFact{carded, "open"})
	}},
	{"rest", "a refund of 10500 never ended", func(f *Facts) { f.Refunds[0].DoneAt = nil }},

	{"story", "its story does not begin with its creation", func(f *Facts) {
		f.Events = without(f.Events, func(e EventFact) bool { return e.OrderID == wired && e.Kind == "created" })
	}},
	{"story", `goes from "payment_approved" to "filled" with "filled"`, func(f *Facts) {
		f.Events = without(f.Events, func(e EventFact) bool { return e.Kind == "reserved" })
	}},
	{"story", "goes back in time at captured", func(f *Facts) { f.event(carded, "captured").At = noon.AddDate(0, 0, -1) }},
	{"story", "its story ends as sent, and it is filled", func(f *Facts) { f.order(carded).Status = "filled" }},
	{"story", "its story tells captured 2 times", func(f *Facts) { f.event(carded, "authorised").Kind = "captured" }},
	{"story", "its story does not tell confirmed", func(f *Facts) { f.event(carded, "confirmed").Kind = "note" }},
	{"story", "its story does not tell that it was refunded", func(f *Facts) { f.event(wired, "refunded").Kind = "note" }},

	{"money", "counts as paid, and of 10500 cents 10499 came", func(f *Facts) { f.Receipts[0].Amount = units(10_499) }},
	{"money", "does not count as paid, and 10500 cents were captured", func(f *Facts) { f.intent(released).Received = 10_500 }},
	{"money", "was sent without being paid", func(f *Facts) {
		f.order(carded).PaidAt, f.order(carded).PaymentMethod = nil, "zelle"
	}},

	{"card", "its card was captured 2 times instead of 1", func(f *Facts) { f.effect("capture", carded).Count = 2 }},
	{"card", "10400 cents were captured of 10500", func(f *Facts) { f.intent(carded).Received = 10_400 }},
	{"card", "is over, and 1 holds on the card stand", func(f *Facts) { f.intent(released).Status = "requires_capture" }},
	{"card", "its capture was booked 0 times instead of 1", func(f *Facts) { f.posting(carded, "captured").Event = "something" }},
	{"card", "its capture was booked 2 times instead of 1", func(f *Facts) {
		again := *f.posting(carded, "captured")
		again.GroupKey += "/again"
		f.Postings = append(f.Postings, again)
	}},

	{"coin", "is failed, and coin is on its way with tx-1", func(f *Facts) { f.order(carded).Status = "failed" }},
	{"coin", "was sent, and 0 transfers are on their way", func(f *Facts) { f.Transfers[0].State = "failed" }},
	{"coin", "was sent, and 2 transfers are on their way", func(f *Facts) { f.Transfers = append(f.Transfers, f.Transfers[0]) }},
	{"coin", "which is not its address any more", func(f *Facts) { f.order(carded).DestAddress = "elsewhere" }},
	{"coin", "99999 BTC of wallet:bitcoin were sent instead of 100000 BTC on bitcoin", func(f *Facts) { f.Transfers[0].Value = units(99_999) }},
	{"coin", `tells transaction "tx-2", and "tx-1" is on the network`, func(f *Facts) { f.order(carded).Txid = pointer("tx-2") }},
	{"coin", "tells the transaction of order " + carded, func(f *Facts) {
		twin := *f.order(carded)
		twin.ID = "twin"
		f.Orders = append(f.Orders, twin)
	}},
	{"coin", "transfer transfer-2 belongs to no order", func(f *Facts) {
		f.Transfers = append(f.Transfers, TransferFact{ID: "transfer-2", State: "confirmed", Address: "a stranger's"})
	}},

	{"purchase", "booked 100000 from purchase client-1, and the exchange filled it 0 times", func(f *Facts) { f.effect("fill", "client-1").Count = 0 }},
	{"purchase", "booked 0 from purchase client-1, and the exchange filled it 1 times", func(f *Facts) { f.Purchases[0].Filled = money.Units{} }},
	{"purchase", "200000 base units were bought for 100000", func(f *Facts) {
		f.Purchases = append(f.Purchases, PurchaseFact{OrderID: carded, ClientID: "client-2", Filled: units(100_000)})
	}},
	{"purchase", "booked 100000 from purchase client-1, and the exchange filled it 2 times", func(f *Facts) { f.effect("fill", "client-1").Count = 2 }},
	{"purchase", "the exchange filled client-3, which no order asked for", func(f *Facts) {
		f.Effects = append(f.Effects, EffectFact{"kraken", "fill", "client-3", 1})
	}},

	{"refunds", "21000 cents went back to the card, and 10500 are noted", func(f *Facts) { f.intent(returned).Refunded *= 2 }},
	{"refunds", "0 cents went back to the card, and 10500 are noted", func(f *Facts) { f.intent(returned).Refunded = 0 }},
	{"refunds", "10500 cents went back, and its row says 10000", func(f *Facts) { f.order(wired).Refunded = units(10_000) }},
	{"refunds", "10600 cents went back, and its row says 10500", func(f *Facts) {
		f.Disputes = append(f.Disputes, DisputeFact{OrderID: returned, Status: "lost", Withdrawn: units(100), ClosedAt: &noon})
	}},
	{"refunds", "10501 cents went back of 10500", func(f *Facts) { f.order(wired).Refunded = units(10_501) }},

	{"conservation", "is over, and prepaid_orders USD holds -10500 of it", func(f *Facts) {
		f.Postings = without(f.Postings, func(p PostingFact) bool { return deref(p.OrderID) == wired && p.Event == "refunded" })
	}},
	{"conservation", "is over, and wallet_reserved:bitcoin BTC holds 100000 of it", func(f *Facts) { f.posting(carded, "sent").Amount = money.Units{} }},
	{"conservation", "10500 cents of it are at Stripe, and 0 are booked", func(f *Facts) {
		f.Postings = without(f.Postings, func(p PostingFact) bool { return deref(p.OrderID) == carded && p.Event == "captured" })
	}},
	{"conservation", "0 cents of it are at Stripe, and 10500 are booked", func(f *Facts) { f.intent(carded).Received = 0 }},
	{"conservation", "10500 cents came by bank and stayed, and 0 are booked", func(f *Facts) {
		f.Postings = without(f.Postings, func(p PostingFact) bool { return p.Event == "money_received" })
	}},
	{"conservation", "ended without coin as refunded: 10500 cents came and 0 went back", func(f *Facts) { f.posting(wired, "refunded").Amount = money.Units{} }},
	{"conservation", "more went back than came: 21000 of 10500 cents", func(f *Facts) { f.posting(wired, "refunded").Amount = units(21_000) }},

	{"decisions", "decision fulfill was never carried out or refused", func(f *Facts) { f.Decisions[1].SettledAt = nil }},
	{"decisions", "order.process staff was decided 1 times and audited 0 times", func(f *Facts) { f.Audit = f.Audit[1:] }},
	{"decisions", "order.process staff was decided 1 times and audited 0 times", func(f *Facts) { f.Audit[0].ActorID = "somebody else" }},
	{"decisions", "order.fulfill staff is audited 2 times and was decided 1 times", func(f *Facts) { f.Audit = append(f.Audit, f.Audit[1]) }},

	{"contests", "process was granted to 2 of [202 200 409 409], and decided 1 times", func(f *Facts) { f.Contests[0].Statuses[1] = 200 }},

	{"clicks", "the key key-" + carded + " gave order", func(f *Facts) {
		f.Clicks = append(f.Clicks, Click{Order: 1, Key: "key-" + carded, Body: "body", Status: 201, ID: wired})
	}},
	{"clicks", "is the second order of one purchase, beside", func(f *Facts) { f.Clicks[2].Order = 1 }},
	{"clicks", "exists, and nobody was told of it", func(f *Facts) { f.Clicks = f.Clicks[1:] }},
	{"clicks", "was told of, and does not exist", func(f *Facts) {
		f.Orders = without(f.Orders, func(o OrderFact) bool { return o.ID == wired })
	}},

	{"hooks", "notice evt-" + wired + " (told) was never acted on", func(f *Facts) {
		one(f.Hooks, func(h HookFact) bool { return deref(h.OrderID) == wired }).HandledAt = nil
	}},
	{"hooks", "the forged notice evt_forged was taken in", func(f *Facts) { f.Hooks = append(f.Hooks, HookFact{EventID: "evt_forged"}) }},

	{"mails", "the mail order_created never went out", func(f *Facts) { f.Mails[0].SentAt = nil }},
	{"mails", "counts as sent and did not arrive", func(f *Facts) { f.Letters = f.Letters[1:] }},
	{"mails", "arrived more than once", func(f *Facts) { f.Letters = append(f.Letters, f.Letters[0]) }},

	{"ledger", "a posting moves 0 USD from prepaid_orders to stripe_clearing", func(f *Facts) { f.posting(carded, "captured").Amount = money.Units{} }},
	{"ledger", "a posting moves 10500 USD from prepaid_orders to prepaid_orders", func(f *Facts) { f.posting(carded, "captured").ToAccount = "prepaid_orders" }},
	{"ledger", "stripe_clearing USD holds -1", func(f *Facts) {
		f.posts("", "wrong", [3]string{"stripe_clearing", "equity", "10501 USD"})
	}},
	{"ledger", "nowhere USD holds 5", func(f *Facts) { f.posts("", "wrong", [3]string{"equity", "nowhere", "5 USD"}) }},
	{"ledger", "is shown as 10499, and the ledger says 10500", func(f *Facts) { f.Balances["customer:"+bob+":balance USD"] = units(10_499) }},
	{"ledger", "is shown as 0, and the ledger says 10500", func(f *Facts) { delete(f.Balances, "customer:"+bob+":balance USD") }},
	{"ledger", "is shown as 7, and nothing is booked there", func(f *Facts) { f.Balances["customer:"+alice+":balance USD"] = units(7) }},

	{"providers", "wallet:bitcoin BTC: 899700 are booked, and 799700 are there", func(f *Facts) { f.Held["wallet:bitcoin BTC"] = units(799_700) }},
	{"providers", "exchange USD: 990074 are booked, and 990073 are there", func(f *Facts) { f.Held["exchange USD"] = units(990_073) }},
	{"providers", "exchange USD: 990074 are booked, and 990077 are there", func(f *Facts) { f.Held["exchange USD"] = units(990_077) }},

	{"statements", "statements and ledger were not compared in the end", func(f *Facts) { f.Compared = false }},
	{"statements", "stripe charge:pi_1: 100 USD are booked, and 101 are told", func(f *Facts) {
		f.Apart = append(f.Apart, ApartFact{Holder: "stripe", Key: "charge:pi_1", Currency: "USD", Booked: units(100), Told: units(101)})
	}},

	{"workflows", "is over, and its workflow runs", func(f *Facts) { f.Running = append(f.Running, "order/"+wired) }},
	{"vouchers", "never came to rest: sent", func(f *Facts) { f.Redemptions[0].ClosedAt = nil }},
	{"vouchers", "is restored, and coin is on its way", func(f *Facts) { f.Redemptions[1].DestAddress = "address-voucher" }},
	{"vouchers", "was sent, and 0 transfers are on their way", func(f *Facts) { f.Redemptions[0].DestAddress = "address-lost" }},
	{"vouchers", "owes 5001 BTC with tx-2, and 5000 BTC went with tx-2", func(f *Facts) { f.Redemptions[0].Amount = units(5_001) }},
	{"vouchers", "pays the voucher that redeemed has paid", func(f *Facts) {
		again := f.Redemptions[0]
		again.ID = "again"
		f.Redemptions = append(f.Redemptions, again)
	}},

	{"lost", "was lost with a backup, and is there", func(f *Facts) { f.Orders = append(f.Orders, wellOrder("lost-sent", bob, "card", "sent", nil)) }},
	{"lost", "2 transfers of it are on their way", func(f *Facts) {
		f.Transfers = append(f.Transfers, *one(f.Transfers, func(t TransferFact) bool { return t.SequenceID == "lost-sent" }))
	}},
	{"lost", "a hold on its card stands", func(f *Facts) { f.intent("lost-back").Status = "requires_capture" }},
	{"lost", "10500 cents of it stay at Stripe without coin", func(f *Facts) { f.intent("lost-back").Refunded = 0 }},
	{"lost", "10500 cents of it stay at Stripe without coin", func(f *Facts) {
		one(f.Transfers, func(t TransferFact) bool { return t.SequenceID == "lost-sent" }).State = "failed"
	}},
	{"lost", "100 cents more than came went back", func(f *Facts) { f.intent("lost-back").Refunded = 10_600 }},
	{"lost", "the voucher voucher-3, whose redemption was lost with a backup, pays twice", func(f *Facts) {
		again := f.Redemptions[0]
		again.ID, again.VoucherID = "again", "voucher-3"
		f.Redemptions = append(f.Redemptions, again)
	}},
	{"lost", "pays twice", func(f *Facts) {
		f.Transfers = append(f.Transfers, *one(f.Transfers, func(t TransferFact) bool { return t.SequenceID == "lost-redeemed" }))
	}},

	{"workflows", "workflow refund/1 ended badly", func(f *Facts) { f.Broken = append(f.Broken, "refund/1") }},
}

func (f *Facts) event(order, kind string) *EventFact {
	return one(f.Events, func(e EventFact) bool { return e.OrderID == order && e.Kind == kind })
}

func (f *Facts) effect(operation, subject string) *EffectFact {
	return one(f.Effects, func(e EffectFact) bool { return e.Operation == operation && e.Subject == subject })
}

func TestEveryCheckFindsWhatItIsFor(t *testing.T) {
	for _, p := range plants {
		t.Run(p.check+": "+p.says, func(t *testing.T) {
			f := allIsWell()
			p.plant(f)
			var found []string
			for _, check := range checks {
				if check.name == p.check {
					for _, v := range check.find(newIndex(f)) {
						found = append(found, v.What)
					}
				}
			}
			require.True(t, slices.ContainsFunc(found, func(what string) bool { return strings.Contains(what, p.says) }), "found only %q", found)
		})
	}
}

// Every message of the checks, by their source, was produced by a planted violation: a new check without one fails
// here.
func TestNothingThatCanBeFoundIsWithoutAPlant(t *testing.T) {
	var said strings.Builder
	for _, p := range plants {
		f := allIsWell()
		p.plant(f)
		for _, v := range Check(f) {
			said.WriteString(v.What + "\n")
		}
	}
	sites := 0
	for _, file := range []string{"check.go", "check_books.go", "check_vouchers.go", "check_lost.go"} {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		require.NoError(t, err)
		ast.Inspect(parsed, func(node ast.Node) bool {
			if text := longest(sentence(node)); text != "" {
				sites++
				require.Contains(t, said.String(), text, "%s can say this, and nothing planted makes it", file)
			}
			return true
		})
	}
	require.Greater(t, sites, 45, "the source was read")
}

// sentence is the expression that says what is wrong: of a Violation, or of a
// call of the short form that checks have for it.
func sentence(node ast.Node) ast.Expr {
	switch n := node.(type) {
	case *ast.CompositeLit:
		if name, named := n.Type.(*ast.Ident); len(n.Elts) == 3 && (n.Type == nil || named && name.Name == "Violation") {
			return n.Elts[1]
		}
	case *ast.CallExpr:
		if name, named := n.Fun.(*ast.Ident); named && name.Name == "bad" {
			return n.Args[0]
		}
	}
	return nil
}

var verbs = regexp.MustCompile(`%[a-z]`)

// longest is the longest constant piece of a message's expression.
func longest(e ast.Expr) (text string) {
	if e == nil {
		return ""
	}
	ast.Inspect(e, func(node ast.Node) bool {
		literal, is := node.(*ast.BasicLit)
		if !is || literal.Kind != token.STRING {
			return true
		}
		value, err := strconv.Unquote(literal.Value)
		if err != nil {
			panic(err) // the source compiles, so this cannot fail
		}
		for _, piece := range verbs.Split(value, -1) {
			if len(piece) > len(text) {
				text = piece
			}
		}
		return true
	})
	return text
}

// A check that is in no list of plants is found by its name, too.
func TestEveryCheckHasAPlant(t *testing.T) {
	for _, check := range checks {
		require.True(t, slices.ContainsFunc(plants, func(p planted) bool { return p.check == check.name }), check.name)
	}
}

// Coin beside refunded money is a violation but in one case: a restored backup lost its transfer, and a bank reversed
// the payment.
func TestCoinThatABackupLostIsNoViolationBesideADisputeThatIsLost(t *testing.T) {
	facts := func() *Facts {
		f := allIsWell()
		o := f.order(carded)
		o.Status, o.Restored = "failed", true
		f.Disputes[0].Status, f.Withdrawals[0].Status = "lost", "revived"
		return f
	}
	require.Empty(t, checkCoin(newIndex(facts())))
	for name, spoil := range map[string]func(f *Facts){
		"not restored":   func(f *Facts) { f.order(carded).Restored = false },
		"no dispute":     func(f *Facts) { f.Disputes[0].Status = "won" },
		"not booked":     func(f *Facts) { f.Withdrawals[0].Status = "dead" },
		"another beside": func(f *Facts) { f.Transfers = append(f.Transfers, f.Transfers[0]) },
	} {
		f := facts()
		spoil(f)
		require.NotEmpty(t, checkCoin(newIndex(f)), name)
	}
}

// A bank that reverses the payment of an order that was refunded in part repays what we still owed.
func TestAReversalRefundsWhatWasStillOwed(t *testing.T) {
	for _, c := range []struct {
		to                   string
		refunded, kept, says int64
		well                 bool
	}{
		{to: "balance", refunded: 4_000, kept: 10_500, says: 10_500, well: true},
		{to: "balance", refunded: 10_500, kept: 10_500, says: 10_500, well: true},
		{to: "balance", refunded: 4_000, kept: 6_000, says: 10_000, well: true},
		{to: "card", refunded: 4_000, kept: 6_500, says: 10_500, well: true},
		{to: "balance", refunded: 4_000, kept: 10_500, says: 14_500},
		{to: "balance", refunded: 4_000, kept: 10_500, says: 4_000},
		{to: "balance", refunded: 4_000, kept: 6_000, says: 10_500},
		{to: "card", refunded: 4_000, kept: 10_500, says: 10_500}, // the card has 6,500 left
		{to: "balance", refunded: 4_000, kept: 10_600, says: 10_500},
	} {
		f := allIsWell()
		f.order(returned).Refunded = units(c.says)
		refund := one(f.Refunds, func(r RefundFact) bool { return r.OrderID == returned })
		refund.Destination, refund.Amount = c.to, units(c.refunded)
		if f.intent(returned).Refunded = c.refunded; c.to == "balance" {
			f.intent(returned).Refunded = 0
		}
		f.Disputes = append(f.Disputes,
			DisputeFact{OrderID: returned, Status: "lost", Withdrawn: units(c.kept), ClosedAt: &noon})
		require.Equal(t, c.well, len(checkRefunds(newIndex(f))) == 0, "%+v", c)
	}
}
