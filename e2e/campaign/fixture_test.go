package main

import (
	"slices"
	"strconv"
	"time"

	"github.com/tradepost/tradepost/models/money"
)

// Orders of a cluster in which all is well, and their customers.
const (
	carded   = "card-sent"     // paid by card, delivered; a dispute was won
	wired    = "wire-refunded" // paid by bank, refunded to the balance
	released = "card-expired"  // held on a card, never captured
	returned = "card-refunded" // captured, and refunded to the card

	alice, bob = "alice", "bob"
)

var noon = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)

func units(n int64) money.Units { return money.FromInt(n) }

func pointer[T any](v T) *T { return &v }

// posts adds a group of postings about an order: from, to, currency, amount.
func (f *Facts) posts(order, event string, lines ...[3]string) {
	group := event + "/" + order
	for _, line := range lines {
		amount, currency := line[2][:len(line[2])-4], line[2][len(line[2])-3:]
		n, err := strconv.ParseInt(amount, 10, 64)
		if err != nil {
			panic(err)
		}
		p := PostingFact{ID: int64(len(f.Postings)), GroupKey: group, Event: event, FromAccount: line[0], ToAccount: line[1], Cur: currency, Amount: units(n)}
		if order != "" {
			p.OrderID = &order
		}
		f.Postings = append(f.Postings, p)
	}
}

// appendEvents appends to an order's timeline: kind and the status after it.
func (f *Facts) appendEvents(order string, steps ...[2]string) {
	for _, step := range steps {
		n := int64(len(f.Events))
		f.Events = append(f.Events, EventFact{ID: n, OrderID: order, At: noon.Add(time.Duration(n) * time.Second), Kind: step[0], Status: step[1]})
	}
}

// decides adds decisions of a member of staff, with their audit rows.
func (f *Facts) decides(order, who string, kinds ...string) {
	for _, kind := range kinds {
		f.Decisions = append(f.Decisions, DecisionFact{ID: order + kind, OrderID: order, Kind: kind, ActorID: who, SettledAt: &noon, Outcome: pointer("done")})
		f.Audit = append(f.Audit, AuditFact{ActorID: who, Action: "order." + kind, ObjectID: order})
	}
}

func wellOrder(id, user, method, status string, resolution *string) OrderFact {
	o := OrderFact{ID: id, Reference: "TP-" + id, UserID: user, Asset: "BTC", Network: "bitcoin", DestAddress: "address-" + id, PaymentMethod: method,
		Status: status, Resolution: resolution, Amount: units(100_000), BasePrice: units(10_000), Total: units(10_500), ClosedAt: &noon}
	return o
}

// allIsWell are the facts of a cluster in which nothing is wrong, written by hand.
func allIsWell() *Facts {
	f := &Facts{Planned: 4, Compared: true, Accounts: map[string]AccountFact{}, Balances: map[string]money.Units{}, Forged: []string{"evt_forged"}}
	for _, a := range []AccountFact{
		{"stripe_clearing", "asset", true}, {"bank_clearing", "asset", true}, {"exchange", "asset", true}, {"wallet:bitcoin", "asset", true},
		{"wallet_reserved:bitcoin", "asset", true}, {"prepaid_orders", "liability", true}, {"unallocated_receipts", "liability", true},
		{"conversion", "transit", false}, {"fees", "income", false}, {"provider_fees", "expense", false}, {"network_fees", "expense", false},
		{"trading", "income", false}, {"equity", "equity", false}, {"customer:" + bob + ":balance", "liability", true},
	} {
		f.Accounts[a.Code] = a
	}
	f.posts("", "opening", [3]string{"equity", "wallet:bitcoin", "1000000 BTC"}, [3]string{"equity", "exchange", "1000000 USD"})
	f.delivered()
	f.sentBack()

	f.Orders = append(f.Orders, wellOrder(released, bob, "card", "failed", pointer("expired")))
	f.appendEvents(released, [2]string{"created", "pending"}, [2]string{"authorised", "pending"}, [2]string{"expired", "failed"})
	f.Intents = append(f.Intents, IntentFact{ID: "pi-" + released, OrderID: released, Status: "canceled"})

	for i, o := range f.Orders {
		f.Clicks = append(f.Clicks, Click{Order: i + 1, Key: "key-" + o.ID, Body: "body", Status: 201, ID: o.ID}, Click{Order: i + 1, Key: "key-" + o.ID, Body: "other", Status: 422})
		f.Mails = append(f.Mails, MailFact{ID: "mail-" + o.ID, OrderID: o.ID, Kind: "order_created", SentAt: &noon})
		f.Letters = append(f.Letters, MailboxFact{MessageID: "<mail-" + o.ID + "@example.com>", Deliveries: 1})
		f.Hooks = append(f.Hooks, HookFact{Provider: "stripe", EventID: "evt-" + o.ID, Type: "told", OrderID: pointer(o.ID), HandledAt: &noon})
	}
	f.Redemptions = append(f.Redemptions, RedemptionFact{ID: "redeemed", VoucherID: "voucher-1", Status: "sent", Asset: "BTC", Network: "bitcoin",
		DestAddress: "address-voucher", Txid: pointer("tx-2"), Amount: units(5_000), SentAt: &noon, ClosedAt: &noon},
		RedemptionFact{ID: "restored", VoucherID: "voucher-2", Status: "restored", Asset: "BTC", Network: "bitcoin", DestAddress: "address-restored", Amount: units(5_000), ClosedAt: &noon})
	f.Transfers = append(f.Transfers, TransferFact{ID: "transfer-2", SequenceID: "send-2", TxID: "tx-2", State: "confirmed", Address: "address-voucher",
		Account: "wallet:bitcoin", Currency: "BTC", Value: units(5_000), FeeCurrency: "BTC"})
	f.Held = map[string]money.Units{"stripe_clearing USD": units(10_500), "wallet:bitcoin BTC": units(899_700), "exchange USD": units(990_075), "exchange BTC": units(100_000)}
	f.Running = []string{"mail", "sweep-1"}
	f.forgotten()
	return f
}

// forgotten is what a backup did not have: an order that got its coin, one whose money
// went back, and a redemption whose voucher was voided.
func (f *Facts) forgotten() {
	f.Lost = Lost{Orders: []LostOrder{{ID: "lost-sent", Method: "card"}, {ID: "lost-back", Method: "card"}}, Redemptions: []LostRedemption{{ID: "lost-redeemed", VoucherID: "voucher-3"}},
		Sends:     []LostSend{{Owner: "lost-sent", Address: "address-lost-sent"}, {Owner: "lost-back", Address: "address-lost-back"}, {Owner: "lost-redeemed", Address: "address-lost-redeemed"}},
		Purchases: []PurchaseOwner{{ClientID: "client-lost", Owner: "lost-sent"}}}
	f.Clicks = append(f.Clicks, Click{Order: 9, Key: "key-lost", Body: "body", Status: 201, ID: "lost-sent"})
	f.Intents = append(f.Intents, IntentFact{ID: "pi-lost-sent", OrderID: "lost-sent", Status: "succeeded", Received: 10_500},
		IntentFact{ID: "pi-lost-back", OrderID: "lost-back", Status: "succeeded", Received: 10_500, Refunded: 10_500})
	f.Effects = append(f.Effects, EffectFact{"kraken", "fill", "client-lost", 1})
	for _, name := range []string{"lost-sent", "lost-redeemed"} {
		f.Transfers = append(f.Transfers, TransferFact{ID: "transfer-" + name, SequenceID: name, TxID: "tx-" + name, State: "confirmed", Address: "address-" + name,
			Account: "wallet:bitcoin", Currency: "BTC", Value: units(5_000), FeeCurrency: "BTC"})
	}
}

// delivered is an order that was paid by card and got its coin.
func (f *Facts) delivered() {
	o := wellOrder(carded, alice, "card", "sent", nil)
	o.PaidAt, o.SentAt, o.ConfirmedAt, o.Txid = &noon, &noon, &noon, pointer("tx-1")
	f.Orders = append(f.Orders, o)
	f.appendEvents(carded, [2]string{"created", "pending"}, [2]string{"authorised", "pending"}, [2]string{"captured", "payment_approved"}, [2]string{"reserved", "fulfilling"},
		[2]string{"filled", "filled"}, [2]string{"sent", "sent"}, [2]string{"confirmed", "sent"})
	f.decides(carded, "staff", "process", "fulfill")
	f.Contests = append(f.Contests, Contest{Order: carded, Kind: "process", Statuses: []int{202, 409, 409, 409}})
	f.posts(carded, "captured", [3]string{"prepaid_orders", "stripe_clearing", "10500 USD"})
	f.posts(carded, "reserved", [3]string{"wallet:bitcoin", "wallet_reserved:bitcoin", "100000 BTC"})
	f.posts(carded, "bought", [3]string{"exchange", "conversion", "9900 USD"}, [3]string{"exchange", "provider_fees", "26 USD"}, [3]string{"conversion", "exchange", "100000 BTC"})
	f.posts(carded, "sent", [3]string{"wallet_reserved:bitcoin", "conversion", "100000 BTC"}, [3]string{"conversion", "prepaid_orders", "10000 USD"},
		[3]string{"fees", "prepaid_orders", "500 USD"}, [3]string{"trading", "conversion", "100 USD"}, [3]string{"wallet:bitcoin", "network_fees", "300 BTC"})
	f.Intents = append(f.Intents, IntentFact{ID: "pi-" + carded, OrderID: carded, Status: "succeeded", Received: 10_500})
	f.Effects = append(f.Effects, EffectFact{"stripe", "capture", carded, 1}, EffectFact{"kraken", "fill", "client-1", 1})
	f.Purchases = append(f.Purchases, PurchaseFact{OrderID: carded, ClientID: "client-1", Asked: units(100_000), Filled: units(100_000), Cost: units(9_900), Fee: units(26), DoneAt: &noon})
	f.Withdrawals = append(f.Withdrawals, WithdrawalFact{OrderID: carded, SequenceID: "send-1", Address: o.DestAddress, Status: "confirmed", Generation: 1, Amount: o.Amount})
	f.Transfers = append(f.Transfers, TransferFact{ID: "transfer-1", SequenceID: "send-1", TxID: "tx-1", State: "confirmed", Address: o.DestAddress,
		Account: "wallet:bitcoin", Currency: "BTC", Value: o.Amount, Fee: units(300), FeeCurrency: "BTC"})
	f.Disputes = append(f.Disputes, DisputeFact{OrderID: carded, Status: "won", ClosedAt: &noon})
}

// sentBack are orders whose money went back: to the balance, and to the card.
func (f *Facts) sentBack() {
	for _, id := range []string{wired, returned} {
		o := wellOrder(id, bob, "card", "failed", pointer("refunded"))
		o.PaidAt, o.Refunded = &noon, o.Total
		if id == wired {
			o.PaymentMethod = "domestic_wire"
		}
		f.Orders = append(f.Orders, o)
		f.appendEvents(id, [2]string{"created", "pending"}, [2]string{"captured", "payment_approved"}, [2]string{"refunded", "failed"})
	}
	f.decides(wired, "staff", "confirm_receipt", "refund")
	f.Receipts = append(f.Receipts, ReceiptFact{wired, "B-1", units(10_500)})
	f.posts(wired, "money_received", [3]string{"unallocated_receipts", "bank_clearing", "10500 USD"})
	f.posts(wired, "receipt_allocated", [3]string{"prepaid_orders", "unallocated_receipts", "10500 USD"})
	f.posts(wired, "refunded", [3]string{"customer:" + bob + ":balance", "prepaid_orders", "10500 USD"})
	f.Balances["customer:"+bob+":balance USD"] = units(10_500)
	f.Refunds = append(f.Refunds, RefundFact{OrderID: wired, Destination: "balance", Status: "succeeded", Amount: units(10_500), DoneAt: &noon},
		RefundFact{OrderID: returned, Destination: "card", Status: "succeeded", Amount: units(10_500), DoneAt: &noon})

	f.decides(returned, "staff", "process", "refund")
	f.posts(returned, "captured", [3]string{"prepaid_orders", "stripe_clearing", "10500 USD"})
	f.posts(returned, "refunded", [3]string{"stripe_clearing", "prepaid_orders", "10500 USD"})
	f.Intents = append(f.Intents, IntentFact{ID: "pi-" + returned, OrderID: returned, Status: "succeeded", Received: 10_500, Refunded: 10_500})
	f.Effects = append(f.Effects, EffectFact{"stripe", "capture", returned, 1}, EffectFact{"stripe", "refund", returned, 1})
}

// without leaves out what is to be dropped.
func without[T any](list []T, drop func(T) bool) []T { return slices.DeleteFunc(list, drop) }

// one is the first of a list that fits, to be changed.
func one[T any](list []T, fits func(T) bool) *T {
	i := slices.IndexFunc(list, fits)
	if i < 0 {
		panic("nothing fits")
	}
	return &list[i]
}

func (f *Facts) order(id string) *OrderFact {
	return one(f.Orders, func(o OrderFact) bool { return o.ID == id })
}

func (f *Facts) intent(order string) *IntentFact {
	return one(f.Intents, func(i IntentFact) bool { return i.OrderID == order })
}

func (f *Facts) posting(order, event string) *PostingFact {
	return one(f.Postings, func(p PostingFact) bool { return deref(p.OrderID) == order && p.Event == event })
}
