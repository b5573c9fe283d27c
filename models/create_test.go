package models_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/internal/local/asvs"
	"github.com/tradepost/tradepost/internal/local/testbed"
	"github.com/tradepost/tradepost/models/dualcontrol/guardtest"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/pricing"
	"github.com/tradepost/tradepost/models/store"
)

const address = "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"

// shop is a database with one verified customer and live prices.
type shop struct {
	*testing.T
	db     *store.DB
	dbs    testbed.Database
	quoter *pricing.Quoter
	user   string
}

func openShop(t *testing.T) *shop {
	t.Parallel()
	dbs := testbed.DB(t)
	db, err := store.Open(t.Context(), dbs.App, store.Options{})
	require.NoError(t, err)
	t.Cleanup(db.Close)
	t.Cleanup(func() { guardtest.Compare(context.Background(), t, db) })
	s := &shop{T: t, db: db, dbs: dbs, quoter: pricing.NewQuoter(db, []byte("a key of at least thirty-two bytes")), user: store.NewID()}
	s.exec(`INSERT INTO users (id, issuer, subject, email, email_verified) VALUES ($1, 'test', 'someone', 'c@example.com', true)`, s.user)
	s.exec(`INSERT INTO kyc_records (user_id, level, status) VALUES ($1, 'standard', 'approved')`, s.user)
	require.NoError(t, ledger.OpenCustomerAccounts(t.Context(), db, s.user))
	require.NoError(t, pricing.StoreMarketRules(t.Context(), db, []pricing.Market{{Asset: money.BTC, Pair: "XXBTZUSD", LotDecimals: 8, PriceDecimals: 1,
		TickSize: decimal.New(1, -1), MinAmount: decimal.New(5, -5), MinCost: decimal.New(5, -1), TakerFee: decimal.New(4, -1), Tradable: true}}))
	s.price("50000")
	return s
}

func (s *shop) exec(sql string, args ...any) {
	s.Helper()
	_, err := s.db.Pool().Exec(s.Context(), sql, args...)
	require.NoError(s, err)
}

func (s *shop) price(ask string) {
	s.Helper()
	price := decimal.RequireFromString(ask)
	require.NoError(s, pricing.StorePrice(s.Context(), s.db, money.BTC, price, price, price))
}

func (s *shop) input(amount string) pricing.QuoteInput {
	units, err := money.BTC.Parse(amount)
	require.NoError(s, err)
	return pricing.QuoteInput{UserID: s.user, Asset: money.BTC, Amount: units, Method: "card"}
}

func (s *shop) order(ctx context.Context, quote pricing.Quote) (*order.Order, error) {
	pricing, err := s.quoter.Pricing(ctx)
	if err != nil {
		return nil, err
	}
	return order.CreateOrder(ctx, s.db, pricing, order.NewOrder{Quote: quote, Network: money.Bitcoin, Address: address, AddressKey: address, Channel: "web"})
}

func TestOrderIsWrittenWithItsPaymentAndFirstEvent(t *testing.T) {
	s := openShop(t)
	quote, err := s.quoter.Quote(t.Context(), s.input("0.01"))
	require.NoError(t, err)
	o, err := s.order(t.Context(), quote)
	require.NoError(t, err)

	stored, err := order.ReadOrder(t.Context(), s.db, o.ID)
	require.NoError(t, err)
	require.Equal(t, "500.00", money.USD.Format(stored.BasePrice))
	require.Equal(t, "517.50", money.USD.Format(stored.Total))
	require.Regexp(t, `^TP-[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$`, stored.Reference)
	events, err := order.Timeline.Events(t.Context(), s.db, o.ID)
	require.NoError(t, err)
	require.Len(t, events, 1)
	require.Equal(t, "created", events[0].Kind)

	_, err = s.order(t.Context(), quote)
	require.Equal(t, "quote_used", store.ReasonOf(err), "a quote makes at most one order")
}

func TestBar23ExpiredOrForeignQuotesMakeNoOrder(t *testing.T) {
	s := openShop(t)
	in := s.input("0.01")
	quote, err := s.quoter.Quote(t.Context(), in)
	require.NoError(t, err)
	sealed, err := s.quoter.Seal(quote)
	require.NoError(t, err)
	now := quote.ExpiresAt
	_, err = s.quoter.Open(sealed, in, now)
	require.NoError(t, err)
	_, err = s.quoter.Open(sealed, in, now.Add(time.Second))
	require.Equal(t, "quote_expired", store.ReasonOf(err))
	for name, other := range map[string]pricing.QuoteInput{
		"user":   {UserID: store.NewID(), Asset: in.Asset, Amount: in.Amount, Method: in.Method},
		"amount": {UserID: in.UserID, Asset: in.Asset, Amount: in.Amount.Add(money.FromInt(1)), Method: in.Method},
		"method": {UserID: in.UserID, Asset: in.Asset, Amount: in.Amount, Method: "zelle"},
	} {
		_, err = s.quoter.Open(sealed, other, now)
		require.Equal(t, "bad_quote", store.ReasonOf(err), name)
	}
	_, err = s.quoter.Open("e30."+sealed[len(sealed)-43:], in, now)
	require.Equal(t, "bad_quote", store.ReasonOf(err), "an altered quote")
}

func TestRefusalsNameTheFieldAndChangeNothing(t *testing.T) {
	s := openShop(t)
	refused := func(reason string, in pricing.QuoteInput) {
		t.Helper()
		_, err := s.quoter.Quote(t.Context(), in)
		require.Equal(t, reason, store.ReasonOf(err))
	}
	refused("below_minimum", s.input("0.0009"))
	refused("above_maximum", s.input("0.3"))
	in := s.input("0.01")
	in.Method = "cash"
	refused("method_disabled", in)
	in.Method = "barter"
	refused("unknown_method", in)

	quote, err := s.quoter.Quote(t.Context(), s.input("0.01"))
	require.NoError(t, err)
	s.exec(`INSERT INTO blocked_addresses (network, address_key, kind, source) VALUES ('bitcoin', $1, 'own', 'test')`, address)
	_, err = s.order(t.Context(), quote)
	require.Equal(t, "own_address", store.ReasonOf(err))
	s.exec(`UPDATE kyc_records SET revoked_at = clock_now()`)
	_, err = s.order(t.Context(), quote)
	require.Equal(t, "kyc_required", store.ReasonOf(err))
	require.EqualError(t, err, "Please complete identity verification before making purchases")

	var orders int
	require.NoError(t, s.db.Pool().QueryRow(t.Context(), "SELECT count(*) FROM orders").Scan(&orders))
	require.Zero(t, orders)
}

func TestBar18LimitsHoldUnderConcurrentOrders(t *testing.T) {
	s := openShop(t)
	// $10,350 each against a daily limit of $25,000 and a single limit of 10,000 raised for the test.
	_, err := s.db.Pool().Exec(t.Context(), "UPDATE kyc_pricing SET max_single_transaction = NULL WHERE kyc_level = 'standard'")
	require.NoError(t, err)
	quotes := make([]pricing.Quote, 8)
	for i := range quotes {
		quotes[i], err = s.quoter.Quote(t.Context(), s.input("0.2"))
		require.NoError(t, err)
	}
	var made atomic.Int32
	var all sync.WaitGroup
	for _, quote := range quotes {
		all.Go(func() {
			_, err := s.order(t.Context(), quote)
			if err == nil {
				made.Add(1)
			} else if store.ReasonOf(err) != "over_daily_limit" {
				t.Errorf("refused for another reason: %v", err)
			}
		})
	}
	all.Wait()
	require.EqualValues(t, 2, made.Load(), asvs.Claim(t, "2.3.2"))
}

func TestBar21LedgerRowsCannotBeChangedByTheApplication(t *testing.T) {
	s := openShop(t)
	require.NoError(t, ledger.SeedFloat(t.Context(), s.db, "test", []ledger.Posting{{From: ledger.AccountEquity, To: ledger.WalletAccount("bitcoin"), Currency: money.BTC, Amount: money.FromInt(100)}}))
	quote, err := s.quoter.Quote(t.Context(), s.input("0.01"))
	require.NoError(t, err)
	_, err = s.order(t.Context(), quote)
	require.NoError(t, err)
	s.exec(`INSERT INTO audit_log (actor_role, action, object_kind, object_id) VALUES ('system', 'test', 'test', '1')`)

	owner, err := store.Open(t.Context(), s.dbs.Owner, store.Options{AllowOwner: true})
	require.NoError(t, err)
	defer owner.Close()
	for _, table := range []string{"postings", "order_events", "audit_log"} {
		for _, statement := range []string{"UPDATE %s SET at = now()", "DELETE FROM %s", "TRUNCATE %s"} {
			for name, db := range map[string]*store.DB{"application": s.db, "owner": owner} {
				_, err := db.Pool().Exec(t.Context(), fmt.Sprintf(statement, table))
				require.Error(t, err, "%s by the %s: %s", fmt.Sprintf(statement, table), name, asvs.Claim(t, "16.4.2"))
			}
		}
	}
	for name, row := range map[string]string{
		"zero":           "('t', 1, 'e', 'equity', 'exchange', 'USD', 0)",
		"negative":       "('t', 1, 'e', 'equity', 'exchange', 'USD', -5)",
		"no counterpart": "('t', 1, 'e', 'equity', 'equity', 'USD', 5)",
		"no account":     "('t', 1, 'e', 'equity', 'nowhere', 'USD', 5)",
		"posted twice":   "('float:test', 1, 'e', 'equity', 'exchange', 'USD', 5)",
	} {
		_, err := s.db.Pool().Exec(t.Context(), "INSERT INTO postings (group_key, line, event, from_account, to_account, currency, amount) VALUES "+row)
		require.Error(t, err, name)
	}
	_, err = s.db.Pool().Exec(t.Context(), "UPDATE customer_balances SET amount = 1")
	require.Error(t, err, "a cached balance changes only by a posting")

	_, err = store.Open(t.Context(), s.dbs.Owner, store.Options{})
	require.ErrorContains(t, err, "owner of the ledger")
}

func TestCustomerBalanceNeverGoesBelowZero(t *testing.T) {
	s := openShop(t)
	quote, err := s.quoter.Quote(t.Context(), s.input("0.01"))
	require.NoError(t, err)
	o, err := s.order(t.Context(), quote)
	require.NoError(t, err)
	post := func(group string, from, to string, cents int64) error {
		return order.ChangeOrder(t.Context(), s.db, o.ID, func(c *order.OrderChange) error {
			return c.Post("test", group, ledger.Posting{From: from, To: to, Currency: money.USD, Amount: money.FromInt(cents)})
		})
	}
	balance := ledger.CustomerBalance(s.user)
	require.NoError(t, post("credit", balance, ledger.AccountPromotions, 500))
	require.Equal(t, "already_posted", store.ReasonOf(post("credit", balance, ledger.AccountPromotions, 500)))
	require.Equal(t, "insufficient_balance", store.ReasonOf(post("spend too much", ledger.AccountPrepaid, balance, 501)))
	require.NoError(t, post("spend", ledger.AccountPrepaid, balance, 200))

	var cached money.Units
	require.NoError(t, s.db.Pool().QueryRow(t.Context(), "SELECT amount::text FROM customer_balances WHERE account = $1", balance).Scan(&cached))
	require.Equal(t, "300", cached.String())
	kept, err := ledger.AccountBalance(t.Context(), s.db, balance, money.USD)
	require.NoError(t, err)
	require.Equal(t, "-300", kept.String(), "what we owe is negative in the ledger")
}

// failure is the error of a step that says where things stand, too.
func failure[T any](_ T, err error) error { return err }
