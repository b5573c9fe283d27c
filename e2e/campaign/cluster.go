package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/tradepost/tradepost/internal/local"
	"github.com/tradepost/tradepost/models/account"
	"github.com/tradepost/tradepost/models/store"
)

// cluster is the stack of a campaign, the people who use it, and what
// was counted.
type cluster struct {
	stack    *local.Stack
	database *pgxpool.Pool // as the application's role
	owner    *pgxpool.Pool // moves the clock
	out      io.Writer

	customers []*browser
	guests    []*browser // who came besides
	kept      []string   // customers whose cases a scenario decides, not the queues
	staff     []*browser
	leaves    int  // of each queue of staff, for another day
	insisting bool // a customer who may not buy asks again: the reason passes

	asides sync.WaitGroup

	mu           sync.Mutex
	owed         []step        // what takes each aside back; nil once it is
	undos        []undone      // what was undone, and when
	lost         Lost          // what a backup did not have that was put back
	gaps         []forgotten   // from each backup until it was put back
	byHand       []string      // transactions of coin that staff sent beside the product
	paidPayouts  []string      // payouts that the bank made after a backup
	ownAddresses []string      // where float is moved to
	settling     chan struct{} // while staff resolve what a restore left; closed when it is over
	counts       map[string]int
	struck       map[string]Fault
	moved        time.Time // when something last became of an order or a scenario
}

// settings are all of the launcher's settings: the caller's own variables must not lead a campaign to an outside part.
// All calls come from one address, so the limits for each address are wide; and waits are shorter than in production.
var settings = map[string]string{
	"RATE_LIMIT_SCALE": "500", "IDENTITY_SIGNUPS_PER_HOUR": "100000", "LOG_LEVEL": "info",
	"HEARTBEAT_TIMEOUT": "12s", "RETRY_MOST": "4s", "PAYMENT_POLL": "5s", "AUTHORISED_POLL": "15s", "SWEEP_INTERVAL": "2s", "SWEEP_GRACE": "4s",
	"EXCHANGE_ORDER_LIFE": "12s", "LOOKUP_GRACE": "1s", "LOOKUP_GAP": "1s", "SEND_LOOKUP": "8s", "FOLLOW_UNASKED": "3s", "FOLLOW_MOST": "5s",
	"MONEY_POLL": "10s", "DISPUTE_POLL": "5s", "KEEP_TRYING_WAIT": "3s", "KEEP_TRYING_MOST": "10s", "RECONCILE_EVERY": "20s", "RECONCILE_GRACE": "30s",
	"REFUND_TWO_ABOVE": "150", "PAYOUT_TWO_ABOVE": "60", "CREDIT_TWO_ABOVE": "600", "STAFF_ALONE_PER_DAY": "1000000", "VOUCHER_ALONE": "400", "REFUND_BUDGET": "20s",
	"CAPTURE_BUDGET": "20s", "BUY_BUDGET": "80s", "SEND_BUDGET": "40s", "CONFIRM_BUDGET": "45s", "SWEEP_REVIVE": "20s", "CUSTODY_ORDER_CAP": "365",
	"GIFT_CARD_REVIEW": "200h",
}

// startCluster starts one in a folder that is removed with it.
func startCluster(ctx context.Context, out io.Writer, logs io.Writer) (*cluster, func(), error) {
	dir, err := os.MkdirTemp("", "tradepost-campaign-")
	if err != nil {
		return nil, nil, err
	}
	leave := func() { _ = os.RemoveAll(dir) }
	if err := os.Chmod(dir, 0o755); err != nil {
		leave()
		return nil, nil, err
	}
	stack, err := local.Start(ctx, local.Options{DataDir: filepath.Join(dir, "data"), FreePorts: true, Output: logs, Unwatched: true, Unsynced: true,
		Getenv: func(name string) string { return settings[name] }})
	if err != nil {
		leave()
		return nil, nil, err
	}
	t := &cluster{stack: stack, out: out, insisting: true, counts: map[string]int{}, struck: map[string]Fault{}}
	leave = func() {
		for _, pool := range []*pgxpool.Pool{t.database, t.owner} {
			if pool != nil {
				pool.Close()
			}
		}
		stack.Stop()
		_ = os.RemoveAll(dir)
	}
	if t.database, err = pgxpool.New(ctx, stack.AppDSN()); err == nil {
		t.owner, err = pgxpool.New(ctx, stack.OwnerDSN())
	}
	if err == nil { // a platform of this size has the exchange's largest limits
		err = t.control(ctx, http.MethodPost, "/control/kraken/tier", map[string]string{"tier": "pro"}, nil)
	}
	if err != nil {
		leave()
		return nil, nil, err
	}
	return t, leave, nil
}

// count counts what happened, for the report.
func (t *cluster) count(what string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.counts[what]++
}

// stir notes that something became of an order or a scenario.
func (t *cluster) stir() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.moved = time.Now()
}

// still is how long nothing became of anything.
func (t *cluster) still() time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	return time.Since(t.moved)
}

// asked counts a call's answer.
func (t *cluster) asked(got answer) {
	t.count("calls")
	if got.status >= 400 {
		t.count(fmt.Sprintf("answers %d %s", got.status, got.code))
	}
}

func (t *cluster) say(format string, args ...any) {
	fmt.Fprintf(t.out, "%s "+format+"\n", append([]any{time.Now().Format("15:04:05")}, args...)...)
}

// control calls the sandbox as its control page does.
func (t *cluster) control(ctx context.Context, method, path string, body, into any) error {
	raw, err := json.Marshal(body)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, method, t.stack.SandboxURL()+path, bytes.NewReader(raw))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json")
	return readInto(request, into)
}

// stripe and bitgo read as the account's owner does.
func (t *cluster) stripe(ctx context.Context, method, path string, into any) error {
	request, err := http.NewRequestWithContext(ctx, method, t.stack.SandboxURL()+path, nil)
	if err != nil {
		return err
	}
	request.SetBasicAuth(t.stack.Secret("STRIPE_KEY"), "")
	return readInto(request, into)
}

func (t *cluster) bitgo(ctx context.Context, path string, into any) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, t.stack.SandboxURL()+path, nil)
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+t.stack.Secret("BITGO_TOKEN"))
	return readInto(request, into)
}

// notFound is an object that a simulator does not have.
type notFound struct{ path string }

func (n notFound) Error() string { return n.path + " is not there" }

func readInto(request *http.Request, into any) error {
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	switch {
	case err != nil:
		return err
	case response.StatusCode == http.StatusNotFound:
		return notFound{request.URL.Path}
	case response.StatusCode >= 300:
		return fmt.Errorf("%s %s: %s %s", request.Method, request.URL.Path, response.Status, body)
	case into == nil:
		return nil
	}
	return json.Unmarshal(body, into)
}

// read gives an answer's body, or says why there is none.
func (a answer) read(into any) error {
	if !a.done() {
		return fmt.Errorf("answer %d %s", a.status, a.code)
	}
	return json.Unmarshal(a.body, into)
}

// arm arms a fault meant for subject.
func (t *cluster) arm(ctx context.Context, f Fault, subject string) error {
	if f.Any {
		subject = ""
	}
	return t.control(ctx, http.MethodPost, "/control/faults", map[string]any{
		"provider": f.Provider, "operation": f.Operation, "match": subject, "code": f.Code, "count": f.Count}, nil)
}

// tally notes which faults have struck: the sandbox loses them with its process.
func (t *cluster) tally(ctx context.Context) {
	var list struct {
		Struck []struct{ ID, Provider, Operation, Match, Code, Arg string }
	}
	if t.control(ctx, http.MethodGet, "/control/faults", nil, &list) != nil {
		return // it is down; it is read again
	}
	era := t.stack.Pid("sandbox")
	t.mu.Lock()
	defer t.mu.Unlock()
	for i, s := range list.Struck {
		t.struck[fmt.Sprintf("%d/%d", era, i)] = Fault{Provider: s.Provider, Operation: s.Operation, Code: s.Code}
	}
}

// forward moves the clock of the simulators and of the database: first theirs, so that nothing they sign has a time in
// our future.
func (t *cluster) forward(ctx context.Context, by time.Duration) error {
	if err := t.control(ctx, http.MethodPost, "/control/clock", map[string]string{"advance": by.String()}, nil); err != nil {
		return err
	}
	return persist(ctx, func(ctx context.Context) error {
		_, err := t.owner.Exec(ctx, "UPDATE clock SET ahead = ahead + make_interval(secs => $1)", by.Seconds())
		return err
	})
}

// today is the date of the database's clock.
func (t *cluster) today(ctx context.Context) (string, error) {
	var now time.Time
	err := t.database.QueryRow(ctx, "SELECT clock_now()").Scan(&now)
	return now.UTC().Format(time.DateOnly), err
}

// employ signs the staff in. There are four: two may confirm an order's money, and two
// others then decide about its coin.
func (t *cluster) employ(ctx context.Context) error {
	fourth := newBrowser(t, "dana@example.com", newPassword)
	if err := fourth.signUp(ctx); err != nil {
		return fmt.Errorf("%s: %w", fourth.mail, err)
	}
	db, err := store.Open(ctx, t.stack.AppDSN(), store.Options{MaxConns: 1})
	if err != nil {
		return err
	}
	defer db.Close()
	if _, err := account.GrantRole(ctx, db, t.stack.IdentityURL(), fourth.mail, "admin", "campaign"); err != nil {
		return err
	}
	t.joins(fourth)
	for _, mail := range []string{local.DemoAdmin, local.DemoSecondAdmin, local.DemoThirdAdmin} {
		t.staff = append(t.staff, newBrowser(t, mail, local.DemoPassword))
	}
	t.staff = append(t.staff, fourth)
	for _, b := range t.staff {
		b.staff = true
		if err := persist(ctx, b.signIn); err != nil {
			return fmt.Errorf("%s: %w", b.mail, err)
		}
	}
	return nil
}

// populate makes the customers, a few at a time, and signs the staff in.
func (t *cluster) populate(ctx context.Context, seed uint64, customers int) error {
	if err := t.employ(ctx); err != nil {
		return err
	}
	t.customers = make([]*browser, customers)
	slots, failed := make(chan struct{}, 4), make(chan error, customers)
	for i := range t.customers {
		b := newBrowser(t, fmt.Sprintf("campaign-%d-%d@example.com", seed, i), newPassword)
		t.customers[i] = b
		go func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			ctx, cancel := context.WithTimeout(ctx, 10*time.Minute)
			defer cancel()
			err := b.signUp(ctx)
			if err == nil {
				err = b.passKYC(ctx)
			}
			failed <- err
		}()
	}
	for range t.customers {
		if err := <-failed; err != nil {
			return fmt.Errorf("a customer signs up: %w", err)
		}
	}
	return t.reward(ctx)
}

// reward gives every third customer a tier with a bonus.
func (t *cluster) reward(ctx context.Context) error {
	for i := 0; i < len(t.customers); i += 3 {
		var id string
		var version int
		if err := t.database.QueryRow(ctx, "SELECT id::text, version FROM users WHERE email = $1", t.customers[i].mail).Scan(&id, &version); err != nil {
			return fmt.Errorf("look for a customer: %w", err)
		}
		got := t.staff[0].call(ctx, http.MethodPatch, "/api/admin/customers/"+id+"/tier", "", map[string]any{"volumeTier": "gold", "version": version, "reason": "as the campaign has it"})
		if !got.done() {
			return fmt.Errorf("the tier is not set: %d %s", got.status, got.body)
		}
	}
	return nil
}

// clock is the database's.
func (t *cluster) clock(ctx context.Context) (now time.Time, err error) {
	err = persist(ctx, func(ctx context.Context) error { return t.database.QueryRow(ctx, "SELECT clock_now()").Scan(&now) })
	return now, err
}
