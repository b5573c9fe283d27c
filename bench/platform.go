package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/tradepost/tradepost/internal/legal"
	"github.com/tradepost/tradepost/internal/local"
	"github.com/tradepost/tradepost/internal/local/process"
	"github.com/tradepost/tradepost/models/store"
)

// platform is the running product with its customers and its staff, and the bare
// programs beside it.
type platform struct {
	stack     *local.Stack
	options   local.Options
	dir       string
	started   time.Duration
	db        *pgxpool.Pool // as the tables' owner
	ear       *ear
	customers []*person
	admin     *person
	beside    []*exec.Cmd
}

// settings are the stack's settings beyond `make run`: one machine acts as all customers, and simulators neither wait
// nor limit.
var settings = map[string]string{"RATE_LIMIT_SCALE": "1000000", "CUSTODY_DAILY_CAP": "1000000000", "VOUCHER_ALONE": "1000000000", "CREDIT_TWO_ABOVE": "1000000000", "STAFF_ALONE_PER_DAY": "1000000000", "LOG_LEVEL": os.Getenv("LOG_LEVEL")}

const customersNumber = 64

// openPlatform starts everything twice: the first start builds, the second is the
// one that people wait for. More settings win.
func openPlatform(ctx context.Context, more map[string]string) (*platform, error) {
	dir, err := os.MkdirTemp("", "tradepost-bench-")
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(dir, 0o755); err != nil { //nolint:gosec // Postgres's account passes through it
		return nil, err
	}
	h := &platform{dir: dir, options: local.Options{DataDir: filepath.Join(dir, "data"), FreePorts: true, Unwatched: true, Getenv: func(name string) string { return cmp.Or(more[name], settings[name]) }}}
	if h.stack, err = local.Start(ctx, h.options); err != nil {
		return nil, err
	}
	h.stack.Stop()
	begun := time.Now()
	if h.stack, err = local.Start(ctx, h.options); err != nil {
		return nil, err
	}
	h.started = time.Since(begun)
	if h.db, err = pgxpool.New(ctx, h.stack.OwnerDSN()); err != nil {
		return nil, err
	}
	if h.ear, err = listen(ctx, h.stack.OwnerDSN()); err != nil {
		return nil, err
	}
	return h, h.furnish(ctx)
}

func (h *platform) close() {
	for _, cmd := range h.beside {
		_ = process.Signal(cmd, syscall.SIGTERM)
		_ = cmd.Wait()
	}
	h.stack.Stop()
	_ = os.RemoveAll(h.dir)
}

func (h *platform) say(format string, args ...any) { fmt.Printf("\n"+format+"\n", args...) }

func (h *platform) lastWords() string {
	var said strings.Builder
	for _, part := range h.stack.Parts() {
		fmt.Fprintf(&said, "==== %s\n%s\n", part, h.stack.Logs(part, 8))
	}
	return said.String()
}

// run starts this binary in another role, until the platform is closed.
func (h *platform) run(args ...string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.Command(self, args...) //nolint:gosec,noctx // ourselves; it is stopped by signal
	cmd.Stderr = os.Stderr
	h.beside = append(h.beside, cmd)
	return process.Start(cmd, syscall.SIGTERM)
}

// furnish lifts the limits that are not what is measured, and brings people.
func (h *platform) furnish(ctx context.Context) error {
	for _, sql := range []string{
		`UPDATE kyc_pricing SET max_single_transaction = NULL, max_daily_volume = NULL, max_monthly_volume = NULL`,
	} {
		if _, err := h.db.Exec(ctx, sql); err != nil {
			return err
		}
	}
	for path, body := range map[string]map[string]string{
		"/control/kraken/tier": {"tier": "unlimited"},
		"/control/bitgo/pace":  {"unconfirmed": "0s", "confirmed": "0s", "block": "0s", "requests": "1000000"},
	} {
		if err := h.control(ctx, path, body); err != nil {
			return err
		}
	}
	for i := range customersNumber + 1 {
		p, err := h.bring(ctx, i)
		if err != nil {
			return err
		}
		if i == customersNumber {
			h.admin = p
			_, err = h.db.Exec(ctx, `INSERT INTO user_roles (user_id, role, granted_by) VALUES ($1, 'admin', 'bench'), ($1, 'finance', 'bench')`, p.id)
		} else {
			h.customers = append(h.customers, p)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// control drives the simulators.
func (h *platform) control(ctx context.Context, path string, body any) error {
	raw, err := json.Marshal(body)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, h.stack.SandboxURL()+path, bytes.NewReader(raw))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	_ = response.Body.Close()
	if response.StatusCode >= 300 {
		return fmt.Errorf("%s: %s", path, response.Status)
	}
	return nil
}

// person is a signed-in customer or admin.
type person struct{ id, cookie string }

// bring makes an account with a session, without the way through the sign-in.
func (h *platform) bring(ctx context.Context, n int) (*person, error) {
	token := rand.Text() + rand.Text()
	sum := sha256.Sum256([]byte(token))
	p := &person{id: store.NewID(), cookie: "session=" + token}
	_, err := h.db.Exec(ctx, `INSERT INTO users (id, issuer, subject, email, email_verified) VALUES ($1, 'bench', $2, $2 || '@example.com', true)`, p.id, fmt.Sprintf("bench-%d", n))
	if err == nil {
		_, err = h.db.Exec(ctx, `INSERT INTO kyc_records (user_id, level, status) VALUES ($1, 'standard', 'approved')`, p.id)
	}
	if err == nil {
		_, err = h.db.Exec(ctx, `INSERT INTO accounts (code, kind, user_id, protected) VALUES ('customer:' || $1 || ':balance', 'liability', CAST($1 AS uuid), true), ('customer:' || $1 || ':reserved', 'liability', CAST($1 AS uuid), true)`, p.id)
	}
	texts, unread := legal.Load("", nil) // the samples, as the platform shows them
	if err = errors.Join(err, unread); err == nil {
		for _, due := range texts.Due(nil, time.Now()) {
			_, refused := h.db.Exec(ctx, `INSERT INTO consents (user_id, document, version, language, text_sha256, given_at) VALUES ($1, $2, $3, 'en', '', clock_now())`, p.id, due.Document, due.Name)
			err = errors.Join(err, refused)
		}
	}
	if err == nil {
		_, err = h.db.Exec(ctx, `INSERT INTO sessions (token_hash, user_id, expires_at) VALUES ($1, $2, clock_now() + interval '7 days')`, sum[:], p.id)
	}
	return p, err
}

// browser keeps a connection for each concurrent caller.
var browser = &http.Client{Timeout: 60 * time.Second, Transport: &http.Transport{MaxIdleConns: 256, MaxIdleConnsPerHost: 256},
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

// call speaks to the site as its pages do.
func (p *person) call(ctx context.Context, method, address, body string, into any) error {
	request, err := http.NewRequestWithContext(ctx, method, address, strings.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	return p.send(request, into)
}

// send sends a request as this person.
func (p *person) send(request *http.Request, into any) error {
	request.Header.Set("Cookie", p.cookie)
	if request.Method != http.MethodGet {
		request.Header.Set("Sec-Fetch-Site", "same-origin")
		request.Header.Set("Idempotency-Key", rand.Text())
	}
	response, err := browser.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	var raw bytes.Buffer
	if _, err := raw.ReadFrom(response.Body); err != nil {
		return err
	}
	if response.StatusCode >= 300 || response.StatusCode == http.StatusAccepted {
		return fmt.Errorf("%s %s: %s %s", request.Method, request.URL, response.Status, raw.String())
	}
	if into == nil {
		return nil
	}
	return json.Unmarshal(raw.Bytes(), into)
}

// measureStart measures how long a start lasts and how much memory each process holds.
func (h *platform) measureStart(_ context.Context, _ plan, r *report) error {
	r.note("start", "from the launcher's start to the site's answer, everything built", h.started.Round(10*time.Millisecond).String())
	return h.memory(r, "at rest, after the start")
}

// memory notes what each process holds, shared pages by their share.
func (h *platform) memory(r *report, when string) error {
	var words []string
	total := 0
	for _, part := range h.stack.Parts() {
		held, err := resident(h.stack.Pid(part))
		if err != nil {
			return nil //nolint:nilerr // only Linux reports it
		}
		total += held
		words = append(words, fmt.Sprintf("%s %d", part, held))
	}
	r.note("memory", when+", MiB", strings.Join(words, ", ")+fmt.Sprintf("; together %d", total))
	return nil
}

func resident(pid int) (int, error) {
	pids := []int{pid}
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
	if err != nil {
		return 0, err
	}
	for word := range strings.FieldsSeq(string(raw)) {
		if id, err := strconv.Atoi(word); err == nil {
			pids = append(pids, id)
		}
	}
	kilobytes := 0
	for _, id := range pids {
		if held, err := share(id); err == nil { // else it has ended in the meantime
			kilobytes += held
		}
	}
	return kilobytes / 1024, nil
}

// share is what one process holds, in KiB, shared pages by their share.
func share(pid int) (int, error) {
	file, err := os.Open(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	if err != nil {
		return 0, err
	}
	defer func() { _ = file.Close() }()
	kilobytes := 0
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if fields := strings.Fields(lines.Text()); len(fields) > 1 && fields[0] == "Pss:" {
			n, _ := strconv.Atoi(fields[1])
			kilobytes += n
		}
	}
	return kilobytes, nil
}
