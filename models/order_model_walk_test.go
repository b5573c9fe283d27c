package models_test

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/models/correction"
	"github.com/tradepost/tradepost/models/execution"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/pricing"
	"github.com/tradepost/tradepost/models/store"
)

// walker does the model's events to orders on Postgres, as activities, people and
// providers do them.
type walker struct {
	*cashFixture
	at    orderModel  // what the model says of the order
	third string      // another one of staff
	taken money.Units // out of the wallet
}

func openWalks(t *testing.T) *walker {
	w := &walker{cashFixture: openCashFixture(t), third: store.NewID()}
	w.exec(`INSERT INTO users (id, issuer, subject, email, email_verified) VALUES ($1, 'test', 'third', 's3@example.com', true)`, w.third)
	return w
}

// cheap is what orders are priced at here; at dear they cost more than they allow.
const cheap, dear = "50000", "51000"

// wrongOnce are walks on which code and model once differed.
var wrongOnce = map[string][]string{
	"a transfer that dies beside a dispute":                    {"card", "", "authorise", "process", "fulfill", "start buy", "fill", "start transfer", "broadcast", "dispute", "lose", "die", "mark sent"},
	"a dispute that the bank looks at after the coin was sent": {"card", "", "authorise", "process", "fulfill", "start buy", "fill", "start transfer", "broadcast", "dispute", "the bank looks"},
	"a return beyond what was not given back": {"bank", "", "receipt", "fulfill", "start buy", "fill", "start transfer", "broadcast", "refund part", "propose return", "approve question",
		"die", "refund", "carry refund"},
	"a refund that bounces beside the whole one": {"card", "", "authorise", "process", "refund", "refund part", "refund succeeds", "carry refund", "refund bounces", "refund succeeds", "fulfill"},
	"money of others for coin that is bought":    {"bank", "", "receipt short", "receipt", "fulfill", "start buy", "fill", "propose reversal", "approve question", "retry", "start transfer", "refund", "carry refund"},
	"a default that is refused": {"card", "", "authorise", "process", "fulfill", "fail buy", "choice lapses", "refund part", "carry refund", "refund succeeds", "choice lapses",
		"carry refund", "refund succeeds"},
	"a capture that was unknown and is refused":          {"card", "", "authorise", "capture unknown", "capture refused", "process"},
	"money of others under an order that is kept trying": {"bank", "", "receipt short", "receipt", "price up", "fulfill", "keep trying", "propose reversal", "approve question", "try again"},
}

// guarded are walks to each guard of coin and money, which chance seldom meets.
var guarded = map[string][]string{
	"fulfil beside a refund":                {"card", "", "authorise", "process", "refund part", "fulfill"},
	"retry beside a refund":                 {"card", "", "authorise", "process", "fulfill", "refund part", "fail buy", "retry", "refund succeeds", "retry"},
	"mark sent beside a refund":             {"card", "", "authorise", "process", "fulfill", "start buy", "fill", "fail send", "refund part", "mark sent", "refund fails", "mark sent"},
	"another address beside a refund":       {"card", "", "authorise", "process", "fulfill", "start buy", "fill", "fail send", "propose address", "refund part", "reject proposal", "refund part", "propose address"},
	"buy beside a refund":                   {"card", "", "authorise", "process", "fulfill", "refund part", "start buy", "refund succeeds", "retry", "start buy"},
	"send beside a refund":                  {"card", "", "authorise", "process", "fulfill", "start buy", "refund part", "fill", "start transfer"},
	"send again beside a refund":            {"card", "", "authorise", "process", "fulfill", "start buy", "fill", "start transfer", "refund part", "resend transfer"},
	"buy again beside a refund":             {"card", "", "authorise", "process", "fulfill", "start buy", "refund part", "resend buy", "fill"},
	"refund beside a transfer":              {"card", "", "authorise", "process", "fulfill", "start buy", "fill", "start transfer", "send unknown", "refund", "carry refund", "broadcast"},
	"refund beside a purchase":              {"card", "", "authorise", "process", "fulfill", "start buy", "buy unknown", "refund", "carry refund", "retry", "fill"},
	"refund of a card that is disputed":     {"card", "", "authorise", "process", "refund", "dispute", "carry refund", "dispute won", "refund", "carry refund"},
	"by hand beside a transfer":             {"card", "", "authorise", "process", "fulfill", "start buy", "fill", "start transfer", "send unknown", "mark sent", "mark this sent"},
	"elsewhere beside a transfer":           {"card", "", "authorise", "process", "fulfill", "start buy", "fill", "start transfer", "send unknown", "propose address", "approve", "confirm"},
	"send what the bank has taken back":     {"bank", "", "receipt", "fulfill", "start buy", "propose return", "approve question", "fill", "start transfer", "refund", "carry refund"},
	"send what may be of others":            {"bank", "", "receipt", "fulfill", "start buy", "fill", "propose reversal", "start transfer", "drop question", "retry", "start transfer"},
	"go on over what is decided":            {"card", "", "authorise", "process", "pause", "fulfill", "refund", "take back pause", "go on", "carry refund", "go on", "budget over", "go on"},
	"resume over an order of the whole":     {"card", "", "authorise", "process", "refund", "carry refund", "budget over", "fulfill", "retry", "refund succeeds"},
	"new terms without an identity":         {"bank", "", "receipt short", "withdraw identity", "requote", "verify again", "requote"},
	"money in time for who may not buy":     {"bank", "", "time to pay passes", "freeze", "receipt", "unfreeze", "refund now", "carry refund", "receipt short"},
	"capture again what may be captured":    {"card", "", "authorise", "capture unknown", "freeze", "process"},
	"no capture for who is frozen":          {"card", "", "authorise", "freeze", "capture unknown", "unfreeze", "capture unknown", "captured after all", "process"},
	"no payment page":                       {"card", "risky", "no page", "retry", "no page", "authorise", "process"},
	"no price":                              {"card", "", "authorise", "process", "price gone", "fulfill", "price back", "retry"},
	"no coin in the wallet":                 {"card", "", "authorise", "process", "wallet empty", "fulfill", "wallet filled", "retry"},
	"what is bought in part":                {"card", "", "authorise", "process", "fulfill", "start buy", "fill part", "start transfer", "refund part", "start buy", "refund succeeds", "retry", "start buy", "fill", "start transfer"},
	"refund beside a second purchase":       {"card", "", "authorise", "process", "fulfill", "start buy", "fill part", "start buy", "buy unknown", "refund", "carry refund", "fill nothing", "refund", "carry refund", "refund succeeds"},
	"three purchases of nothing":            {"card", "", "authorise", "process", "fulfill", "start buy", "fill nothing", "start buy", "fill nothing", "start buy", "fill nothing", "start buy", "retry", "start buy", "fill"},
	"custody asks a person":                 {"card", "", "authorise", "process", "fulfill", "start buy", "fill", "start transfer", "custody asks", "refund", "retry", "custody approves", "broadcast"},
	"buy beside a second dispute":           {"card", "", "authorise", "process", "dispute part", "dispute lost", "retry", "dispute", "start buy", "refund", "dispute won", "retry", "start buy"},
	"two disputes and coin that died":       {"card", "", "authorise", "process", "fulfill", "start buy", "fill", "start transfer", "broadcast", "dispute part", "dispute lost", "dispute", "die", "dispute lost"},
	"buy for a balance that was not theirs": {"balance", "", "fulfill", "money recalled", "start buy", "debt paid", "retry", "start buy", "fill", "money recalled", "start transfer"},
	"refund of a balance beside a purchase": {"balance", "", "fulfill", "start buy", "buy unknown", "refund", "carry refund", "retry", "fill", "fail send", "refund", "carry refund"},
	"send what may be of another order":     {"bank", "", "receipt", "fulfill", "start buy", "fill", "propose move", "start transfer", "drop question", "retry", "start transfer"},
	"move what the bank took some of":       {"bank", "", "receipt", "propose part return", "approve question", "propose move", "propose reversal", "reinstate", "propose move", "approve question", "moved here"},
	"moved with a surplus on its way back":  {"bank", "", "receipt over", "propose move", "approve question", "moved here"},
	"reversed beside a surplus":             {"bank", "", "receipt over", "receipt", "propose return", "approve question", "reinstate"},
	"moved beside a surplus":                {"bank", "", "receipt", "receipt over", "propose move", "approve question", "fulfill"},
	"moved to an order that is paid":        {"bank", "", "moved here", "moved here", "refund", "carry refund"},
	"buy what the bank took some of":        {"bank", "", "receipt", "fulfill", "propose part return", "approve question", "start buy", "reinstate", "start buy", "fill"},
	"reinstated, and then sent":             {"bank", "", "receipt", "fulfill", "propose part return", "approve question", "reinstate", "start buy", "fill", "start transfer", "broadcast", "die", "refund", "carry refund"},
	"reinstated when the coin was sent":     {"bank", "", "receipt", "fulfill", "start buy", "fill", "start transfer", "propose return", "approve question", "broadcast", "reinstate", "confirm"},
	"reinstated to who has all back":        {"bank", "", "receipt", "propose part return", "approve question", "refund", "carry refund", "reinstate"},
	"reinstated to money that waits":        {"bank", "", "receipt short", "propose return", "approve question", "reinstate", "receipt over", "propose part return", "approve question", "reinstate", "fulfill"},
	"dead, sent anew and confirmed":         {"card", "", "authorise", "process", "fulfill", "start buy", "fill", "start transfer", "lose", "propose dead", "approve", "retry", "start transfer", "revive", "broadcast", "revive", "confirm", "revive"},
	"dead, refunded and confirmed":          {"card", "", "authorise", "process", "fulfill", "start buy", "fill", "start transfer", "broadcast", "lose", "propose dead", "approve", "refund", "carry refund", "revive", "refund succeeds", "revive"},
	"dead and confirmed":                    {"card", "", "authorise", "process", "fulfill", "start buy", "fill", "start transfer", "broadcast", "lose", "propose dead", "approve", "revive"},
	"dead, not refunded and confirmed":      {"card", "", "authorise", "process", "fulfill", "start buy", "fill", "start transfer", "lose", "propose dead", "approve", "refund", "carry refund", "revive", "refund fails", "revive"},
	"back before it was declared dead":      {"card", "", "authorise", "process", "fulfill", "start buy", "fill", "start transfer", "lose", "propose dead", "broadcast", "approve", "lose", "retry", "lose", "propose dead", "reject proposal", "confirm"},
	"rejected when the step is done": {
		"card", "", "authorise", "process", "fulfill", "fail buy", "keep trying", "start buy", "fill",
		"start transfer", "reject transfer", "try again", "start transfer", "refund now", "carry refund",
	},
	"rejected while it is tried": {
		"card", "", "authorise", "process", "fulfill", "start buy", "fill", "fail send", "keep trying",
		"start transfer", "reject transfer", "try again", "start transfer", "retry", "start transfer",
	},
	"refund beside what is removed": {
		"card", "", "authorise", "process", "fulfill", "start buy", "fill", "start transfer", "lose", "refund",
		"refund part", "propose address", "broadcast", "refund part", "refund succeeds", "lose", "refund part",
		"confirm",
	},
	"all refunded, and then dead": {
		"card", "", "authorise", "process", "fulfill", "start buy", "fill", "start transfer", "broadcast",
		"refunded there", "lose", "propose dead", "approve",
	},
	"all refunded beside a purchase": {
		"card", "", "authorise", "process", "fulfill", "start buy", "refunded there", "fill",
	},
	"reinstated to an order that ended": {
		"card", "", "authorise", "process", "dispute", "dispute lost", "funds reinstated",
	},
	"reinstated to an order that waits": {
		"card", "", "authorise", "process", "fulfill", "dispute part", "dispute lost", "funds reinstated",
		"start buy", "fill", "start transfer", "broadcast",
	},
	"reinstated beside another that is lost": {
		"card", "", "authorise", "process", "fulfill", "dispute part", "dispute lost", "dispute part", "dispute lost",
		"funds reinstated", "start buy",
	},
	"reinstated after sent, and dead": {
		"card", "", "authorise", "process", "dispute part", "dispute lost", "retry", "start buy", "fill",
		"start transfer", "broadcast", "funds reinstated", "die", "refund", "carry refund", "refund succeeds",
	},
	"bounced after a dispute of the whole": {
		"card", "", "authorise", "process", "refund part", "refund succeeds", "dispute whole", "dispute lost",
		"refund bounces", "funds reinstated",
	},
	"no capture for a listed address":    {"card", "", "authorise", "list address", "process", "release", "process", "fulfill"},
	"no capture of what is stuck":        {"card", "", "authorise", "list address", "stuck", "process", "release", "process"},
	"a listed address, and then another": {"card", "", "authorise", "process", "fulfill", "start buy", "fill", "list address", "start transfer", "propose address", "approve", "start transfer", "release", "start transfer"},
}

func TestWalksToTheGuardsGoAsTheirModelSays(t *testing.T) {
	w := openWalks(t)
	walks := maps.Clone(guarded)
	maps.Copy(walks, wrongOnce)
	maps.Copy(walks, lessWalks)
	for _, name := range slices.Sorted(maps.Keys(walks)) {
		if wrong := w.follow(walks[name]); wrong != "" {
			t.Errorf("%s: %s", name, wrong)
		}
	}
	w.balanced()
	w.bankIsRight()
}

// walks are how many orders get random events; WALKS sets more.
const walks = 100

// walked is how often each event changed an order, by its state.
type walked map[string]map[string]int

func (did walked) add(place, event string) {
	if did[place] == nil {
		did[place] = map[string]int{}
	}
	did[place][event]++
}

// pairs are how many pairs of a place and an event there were, and how often each
// event was.
func (did walked) pairs() (pairs int, fired map[string]int) {
	fired = map[string]int{}
	for _, here := range did {
		for event, times := range here {
			pairs, fired[event] = pairs+1, fired[event]+times
		}
	}
	return pairs, fired
}

// Whatever happens to an order, in whatever order: the code makes of it what the
// model says, or refuses it where the model does, and the books balance.
func TestOrdersGoAsTheirModelSays(t *testing.T) {
	w := openWalks(t)
	require.NoError(t, ledger.SeedFloat(t.Context(), w.db, "walks", []ledger.Posting{
		{From: ledger.AccountEquity, To: ledger.WalletAccount("bitcoin"), Currency: money.BTC, Amount: money.FromInt(100_000_000_000)}}))
	n := walks
	if more, err := strconv.Atoi(os.Getenv("WALKS")); err == nil {
		n = more
	}
	draw, did := rand.New(rand.NewPCG(rand.Uint64(), 1)), walked{}
	for range n {
		rail := []string{"card", "card", "card", "bank", "bank", "bank", "bank", "balance"}[draw.IntN(8)]
		path, wrong := w.stroll(rail, draw.IntN(6) == 0, draw, did)
		if wrong != "" {
			path, wrong = w.shorter(path, wrong)
			t.Fatalf("walk %q\n%s", path, wrong)
		}
	}
	_, fired := did.pairs()
	for event := range orderRules {
		if fired[event] == 0 { // chance left it out
			w.directly(event, did)
		}
	}
	w.balanced()
	w.bankIsRight()
	for _, place := range slices.Sorted(maps.Keys(did)) {
		t.Logf("%s: %s", place, strings.Join(slices.Sorted(maps.Keys(did[place])), ", "))
	}
	pairs, _ := did.pairs()
	t.Logf("%d orders, %d places, %d pairs of a place and an event", n, len(did), pairs)
	require.Greater(t, pairs, leastPairs)
}

// directly leads an order the shortest way to where an event changes it.
func (w *walker) directly(event string, did walked) {
	w.Helper()
	rail, path := pathTo(event)
	require.NotEmpty(w, rail, "%s changes no order", event)
	require.Empty(w, w.follow(slices.Concat([]string{rail, ""}, path)))
	before := w.at
	require.Empty(w, w.step(event))
	require.NotEqual(w, before, w.at, "%s after %q", event, path)
	did.add(before.place(), event)
}

// leastPairs are how many pairs of a place and an event that changes it are walked at
// least.
const leastPairs = 800

// place is an order's state in words.
func (o orderModel) place() string {
	words := []string{o.Rail, o.Status, o.Resolution, o.Waits}
	if o.Closed && o.Resolution == "" {
		words[2] = "confirmed"
	}
	words = append(words, pick(o.Pending > 0, "refunding", ""), pick(o.disputed() && o.Waits != "disputed", "disputed", ""), pick(o.decided(), "to be refunded", ""),
		pick(o.Proposal.Kind != "", "proposed", ""), pick(o.transferOpen() && o.Status != "sent", "sending", ""), pick(o.Coin == "buying", "buying", ""))
	return strings.Join(slices.DeleteFunc(words, func(word string) bool { return word == "" }), " ")
}

// onward are the events of a good order, the last first.
var onward = []string{"broadcast", "start transfer", "fill", "start buy", "fulfill", "process", "authorise", "receipt"}

// stroll leads a new order a part of a good one's way, and then through events that mostly change it, and were least
// often applied in its state.
func (w *walker) stroll(rail string, risky bool, draw *rand.Rand, did walked) (path []string, wrong string) {
	w.begin(rail, risky)
	path = []string{rail, pick(risky, "risky", "")}
	good := draw.IntN(10)
	for i := range good + 6 + draw.IntN(14) {
		event := w.next(i < good && draw.IntN(6) > 0, draw, did)
		before := w.at
		path = append(path, event)
		_, allowed := before.apply(event)
		if wrong := w.step(event); wrong != "" {
			return path, wrong
		}
		switch {
		case !allowed:
			did.add(before.place(), event+" (refused)")
		case w.at != before:
			did.add(before.place(), event)
		}
	}
	return path, w.ended()
}

// next draws an event.
func (w *walker) next(good bool, draw *rand.Rand, did walked) string {
	events := eventsOf(w.at.Rail)
	some, here := w.at.changing(events), did[w.at.place()]
	if i := slices.IndexFunc(onward, func(event string) bool { return slices.Contains(some, event) }); good && i >= 0 {
		return onward[i]
	}
	said := ""
	if draw.IntN(3) == 0 {
		refused := slices.DeleteFunc(slices.Clone(events), func(event string) bool { _, ok := w.at.apply(event); return ok })
		some, said = pick(len(refused) > 0, refused, events), " (refused)"
	}
	event := some[draw.IntN(len(some))]
	for range draw.IntN(5) {
		if other := some[draw.IntN(len(some))]; here[other+said] < here[event+said] {
			event = other
		}
	}
	return event
}

// follow leads a new order along a path.
func (w *walker) follow(path []string) (wrong string) {
	w.begin(path[0], path[1] == "risky")
	for _, event := range path[2:] {
		if wrong := w.step(event); wrong != "" {
			return wrong
		}
	}
	return w.ended()
}

// shorter removes from a failing walk the events without which it still fails.
func (w *walker) shorter(path []string, wrong string) (least []string, said string) {
	for i := len(path) - 1; i >= 2; i-- {
		without := slices.Delete(slices.Clone(path), i, i+1)
		if again := w.follow(without); again != "" {
			path, wrong = without, again
		}
	}
	return path, wrong
}

// begin makes a new order of a new customer, in a quiet world.
func (w *walker) begin(rail string, risky bool) {
	w.Helper()
	require.NoError(w, w.turnSwitch(false))
	w.exec(`DELETE FROM blocked_addresses`)
	w.tradable(true)
	require.NoError(w, w.fillWallet())
	w.customer()
	if rail == "balance" {
		w.credit(cents(200_000))
	}
	w.exec(`UPDATE risk_rules SET enabled = $1 WHERE code IN ('orders_per_day', 'threshold')`, risky)
	w.exec(`UPDATE risk_rules SET most = 0, score = 100 WHERE code = 'orders_per_day'`)
	w.take(map[string]string{"card": "card", "bank": "domestic_wire", "balance": pricing.MethodBalance}[rail])
	w.exec(`UPDATE risk_rules SET enabled = false`)
	w.at = newModel(rail, risky)
}

// step does an event, and compares.
func (w *walker) step(event string) (wrong string) {
	after, allowed := w.at.apply(event)
	w.price(pick(w.at.Dear, dear, cheap)) // of this moment
	w.tradable(!w.at.Unknown)
	err := w.steps()[event]()
	seen := w.seen()
	said := fmt.Sprintf("%s of\n%+v (%v) makes\n%+v\nand the model says\n%+v", event, w.at, err, seen, after.visible())
	switch {
	case err != nil && !slices.Contains([]store.Code{store.CodeConflict, store.CodeForbidden, store.CodeInvalid, store.CodeUnavailable}, store.CodeOf(err)):
		return "failed: " + said
	case store.ReasonOf(err) == "already_posted":
		return "taken for an earlier effect: " + said
	case seen != after.visible():
		return "different: " + said
	case allowed != (err == nil):
		return "refused by one alone: " + said
	}
	w.at = after
	return ""
}

// ended is what an order that is over has left behind.
func (w *walker) ended() (wrong string) {
	o := w.now()
	if o.ClosedAt == nil {
		return ""
	}
	record, err := order.ReadOrderRecord(w.Context(), w.db, o.ID)
	require.NoError(w, err)
	sums := summed(record.Postings)
	surpluses, err := order.OrderSurpluses(w.Context(), w.db, o.ID)
	require.NoError(w, err)
	for _, s := range surpluses {
		if s.Outcome == nil { // less than a quarter, which a new price left over
			sums["unallocated_receiptsUSD"] = sums["unallocated_receiptsUSD"].Add(s.Amount)
		}
	}
	for _, account := range []string{"prepaid_ordersUSD", "unallocated_receiptsUSD", "wallet_reserved:bitcoinBTC", "conversionUSD", "conversionBTC"} {
		if !sums[account].IsZero() {
			return fmt.Sprintf("an order that is over (%s) leaves %s in %s", w.at.place(), sums[account], account)
		}
	}
	return ""
}

// summed is what postings moved to each account, by currency.
func summed(postings []ledger.StoredPosting) map[string]money.Units {
	sums := map[string]money.Units{}
	for _, p := range postings {
		sums[p.ToAccount+string(p.Currency)] = sums[p.ToAccount+string(p.Currency)].Add(p.Amount)
		sums[p.FromAccount+string(p.Currency)] = sums[p.FromAccount+string(p.Currency)].Sub(p.Amount)
	}
	return sums
}

// seen is the order's state by its rows, as far as the model has it.
func (w *walker) seen() orderModel {
	w.Helper()
	o := w.now()
	m := orderModel{Rail: w.at.Rail, Status: string(o.Status), Paid: o.Paid(), Closed: o.ClosedAt != nil, Held: o.Held, Resolution: valueOf(o.Resolution), Waits: valueOf(o.AttentionReason),
		FailedStep: valueOf(o.FailedStep), Code: valueOf(o.FulfillmentCode), Price: w.quarters(o.Total), Asked: valueOf(o.ChoiceReason), Kept: o.KeptUntil != nil, Review: pick(o.UnderReview, "risk", "")}
	if !strings.HasPrefix(m.Code, "transfer_") {
		m.Code = ""
	}
	w.seenOfCoin(&m)
	w.seenOfMoney(&m)
	w.seenOfPeople(&m)
	w.seenOfReceipts(&m)
	w.seenOfLess(&m, o)
	m.books = w.seenBooks()
	surpluses, err := order.OrderSurpluses(w.Context(), w.db, o.ID)
	require.NoError(w, err)
	for _, s := range surpluses {
		if valueOf(s.Outcome) == order.SurplusReturned {
			m.Away += w.quarters(s.Amount)
		}
	}
	return m
}

func (w *walker) seenOfCoin(m *orderModel) {
	w.Helper()
	require.NoError(w, w.db.Pool().QueryRow(w.Context(), `SELECT
		coalesce((SELECT CASE WHEN bool_or(done_at IS NULL) THEN 'buying' WHEN sum(filled) >= $2 THEN 'bought' END FROM exchange_orders WHERE order_id = $1), ''),
		coalesce((SELECT sum(filled) BETWEEN 1 AND CAST($2 AS numeric) - 1 FROM exchange_orders WHERE order_id = $1), false),
		coalesce((SELECT status FROM withdrawals WHERE order_id = $1 ORDER BY generation DESC LIMIT 1), '')`, w.order.ID, w.now().Amount).Scan(&m.Coin, &m.Part, &m.Transfer))
	var dead bool
	require.NoError(w, w.db.Pool().QueryRow(w.Context(), `SELECT coalesce(bool_or(status = 'dead'), false), coalesce(bool_or(status = 'revived'), false) FROM withdrawals WHERE order_id = $1`,
		w.order.ID).Scan(&dead, &m.Revived))
	m.Declared = pick(dead, "before", "")
	switch m.Transfer {
	case "dead":
		m.Declared = "last"
	case "refused", "rejected", "failed", "revived":
		m.Transfer = "dead"
	case "removed":
		m.Transfer = "lost"
	case execution.TransferAwaiting:
		m.Transfer = "awaiting"
	}
}

func (w *walker) seenOfMoney(m *orderModel) {
	w.Helper()
	var pending, back, there, returned, taken, settled money.Units
	require.NoError(w, w.db.Pool().QueryRow(w.Context(), `SELECT
		(SELECT coalesce(sum(amount) FILTER (WHERE done_at IS NULL), 0) FROM refunds WHERE order_id = $1),
		(SELECT coalesce(bool_or(carrier = 'order' AND done_at IS NULL), false) FROM refunds WHERE order_id = $1),
		(SELECT coalesce(sum(amount) FILTER (WHERE status = 'succeeded' AND origin = 'ours'), 0) FROM refunds WHERE order_id = $1),
		(SELECT coalesce(bool_or(carrier = 'order' AND status = 'succeeded'), false) FROM refunds WHERE order_id = $1),
		(SELECT coalesce(sum(amount) FILTER (WHERE status = 'succeeded' AND origin = 'provider'), 0) FROM refunds WHERE order_id = $1),
		(SELECT coalesce(sum(from_order) FILTER (WHERE borne_by <> 'unpaid' AND reinstated_at IS NULL), 0) FROM receipt_returns WHERE order_id = $1),
		coalesce((SELECT CASE status WHEN 'under_review' THEN 'review' ELSE status END FROM disputes WHERE order_id = $1 ORDER BY sequence DESC LIMIT 1), ''),
		coalesce((SELECT answer IS NOT NULL FROM disputes WHERE order_id = $1 ORDER BY sequence DESC LIMIT 1), false),
		(SELECT count(*) FROM disputes WHERE order_id = $1),
		(SELECT coalesce(sum(withdrawn - reinstated), 0) FROM disputes WHERE order_id = $1),
		(SELECT coalesce(sum(settled), 0) FROM disputes WHERE order_id = $1)`, w.order.ID).
		Scan(&pending, &m.PendingWhole, &back, &m.WholeBack, &there, &returned, &m.Dispute, &m.Answered, &m.Disputes, &taken, &settled))
	m.Pending, m.Back, m.There, m.Returned = w.quarters(pending), w.quarters(back), w.quarters(there), w.quarters(returned)
	m.Taken, m.Settled = w.quarters(taken), w.quarters(settled)
}

func (w *walker) seenOfPeople(m *orderModel) {
	w.Helper()
	var proposed money.Units
	require.NoError(w, w.db.Pool().QueryRow(w.Context(), `SELECT p.authorised_at IS NOT NULL, o.status = 'pending' AND p.capture_started_at IS NOT NULL, o.payment_due_at <= clock_now(),
		coalesce((SELECT CASE data->>'default' WHEN 'true' THEN 'default' ELSE 'taken' END
			FROM decisions WHERE order_id = o.id AND settled_at IS NULL), ''),
		coalesce(CASE x.data->>'lessCoin' WHEN 'true' THEN 'less' ELSE x.kind END, ''),
		coalesce(x.order_status, ''), coalesce(x.amount, 0)
		FROM orders o JOIN payments p ON p.order_id = o.id LEFT JOIN order_proposals x ON x.order_id = o.id AND x.status = 'open' WHERE o.id = $1`, w.order.ID).
		Scan(&m.Authorised, &m.Capturing, &m.Over, &m.Deciding, &m.Proposal.Kind, &m.Proposal.At, &proposed))
	m.Proposal.Amount = w.quarters(proposed)
	switch m.Proposal.Kind {
	case order.DecisionAmendAddress:
		m.Proposal.Kind = "amend"
	case order.DecisionMarkSent:
		m.Proposal.Kind = "mark sent"
	case order.DecisionTransferDead:
		m.Proposal.Kind = "dead"
	}
	if m.Deciding != "" && m.PendingWhole {
		m.Deciding = "carried"
	}
}

func (w *walker) seenOfReceipts(m *orderModel) {
	w.Helper()
	open, err := correction.OpenMoneyProposal(w.Context(), w.db, w.question())
	require.NoError(w, err)
	for i, r := range w.live() {
		m.Receipts[i] = receipt{w.quarters(r.Amount), r.bitten, r.beyond}
		if open != nil && *open.SubjectID == r.ID {
			m.Question = w.asked(open, r)
			m.Question.Receipt = int8(i)
		}
	}
}

// asked is what a proposal states about a receipt.
func (w *walker) asked(open *correction.KnownMoneyProposal, r liveReceipt) question {
	w.Helper()
	act, err := open.Act()
	require.NoError(w, err)
	switch act := act.(type) {
	case *correction.BankReturn:
		return question{Kind: "return", Amount: w.quarters(act.Amount)}
	case *correction.ReverseReceipt:
		return question{Kind: pick(act.OrderID != "", "move", "reversal"), Amount: w.quarters(r.Amount)}
	}
	return question{Kind: open.Kind}
}

// liveReceipt is a receipt with the amount that the bank has not reversed.
type liveReceipt struct {
	order.StoredReceipt
	bitten, beyond bool
}

// live are the order's receipts of which money is still there.
func (w *walker) live() (live []liveReceipt) {
	w.Helper()
	gone := map[string]money.Units{}
	returns, err := order.OrderReturns(w.Context(), w.db, w.order.ID)
	require.NoError(w, err)
	for _, r := range returns {
		if r.Kind == order.ReturnByBank && r.ReinstatedAt == nil {
			gone[r.ReceiptID] = gone[r.ReceiptID].Add(r.Amount)
		}
	}
	for _, r := range w.receipts() {
		left := r.Amount.Sub(gone[r.ID])
		if r.ReversedAt != nil || left.IsZero() {
			continue
		}
		row := liveReceipt{StoredReceipt: r, bitten: left.Cmp(r.Amount) < 0}
		row.Amount = left
		const credited = "SELECT EXISTS (SELECT FROM postings WHERE group_key = $1)"
		require.NoError(w, w.db.Pool().QueryRow(w.Context(), credited,
			"order:"+w.order.ID+":surplus:"+r.ID).Scan(&row.beyond))
		live = append(live, row)
	}
	return live
}

// question is the receipt about which something is proposed; of none it is no id.
func (w *walker) question() (receipt string) {
	w.Helper()
	require.NoError(w, w.db.Pool().QueryRow(w.Context(), `SELECT coalesce((SELECT subject_id::text FROM money_proposals WHERE order_id = $1 AND status = 'open'), $2)`,
		w.order.ID, store.NewID()).Scan(&receipt))
	return receipt
}

// seenBooks are the order's accounts. What is neither owed nor lost of what the bank
// and the processor hold is earned; fees of cents are less than a quarter.
func (w *walker) seenBooks() (b books) {
	w.Helper()
	record, err := order.ReadOrderRecord(w.Context(), w.db, w.order.ID)
	require.NoError(w, err)
	sums := summed(record.Postings)
	of := func(accounts ...string) (sum money.Units) {
		for _, account := range accounts {
			sum = sum.Add(sums[account+"USD"])
		}
		return sum
	}
	customer := of(ledger.CustomerBalance(w.user), ledger.CustomerReceivable(w.user)).Neg()
	b = books{Prepaid: w.quarters(of(ledger.AccountPrepaid).Neg()), Waiting: w.quarters(of(ledger.AccountUnallocated).Neg()), Customer: w.quarters(customer),
		Goodwill: w.quarters(of(ledger.AccountGoodwill)), Charged: w.quarters(of(ledger.AccountChargebacks)),
		Promised: pick[int8](sums["wallet_reserved:bitcoinBTC"].IsZero(), 0, 1), Inventory: pick[int8](sums["conversionBTC"].IsZero(), 0, 1)}
	b.Earned = w.quarters(of(ledger.AccountClearing, ledger.AccountBank, ledger.AccountUnplaced)) - b.outside()
	return b
}

// quarters are so many cents in quarters of what the order cost at first.
func (w *walker) quarters(amount money.Units) quarters {
	cents, _ := amount.Int64()
	return quarters(math.Round(float64(cents) * float64(price) / float64(w.total())))
}

func (w *walker) total() int64 {
	cents, _ := w.order.Total.Int64()
	return cents
}

func valueOf[T ~string](s *T) string {
	if s == nil {
		return ""
	}
	return string(*s)
}

// visible leaves out of the model's state what no row of the order says.
func (o orderModel) visible() orderModel {
	o.Out, o.News, o.Paused, o.NoIdentity, o.Frozen, o.Owes, o.Listed, o.Last = 0, false, false, false, false, false, "", 0
	o.market, o.Unfilled, o.Gone, o.Reversed, o.Again, o.TakenBefore, o.PaidBefore = market{}, 0, bankReturn{}, 0, 0, 0, 0
	o.Whole, o.Claimed, o.LastLess = false, 0, false
	if o.Coin == "reserved" {
		o.Coin = ""
	}
	if o.Review != "" {
		o.Review = "risk"
	}
	return o
}
