package api

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/api/rest"
	voucherapi "github.com/tradepost/tradepost/api/voucher"
	"github.com/tradepost/tradepost/internal/local/asvs"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/models/voucher"
)

// generate makes a voucher and gives it back.
func (v *visitor) generate(amount, currency string) voucherapi.MadeVoucher {
	v.Helper()
	var made voucherapi.MadeVoucher
	v.post("/api/admin/vouchers", fmt.Sprintf(`{"amount":%q,"currency":%q}`, amount, currency)).is(http.StatusCreated).read(&made)
	return made
}

func redemptionOf(code string) string {
	return fmt.Sprintf(`{"code":%q,"cryptoType":"BTC","walletAddress":%q}`, code, btcAddress)
}

func (h *testServer) redeemed() int {
	h.Helper()
	return one[int](h, `SELECT count(*) FROM voucher_redemptions`)
}

func TestVoucherIsGeneratedValidatedAndRedeemed(t *testing.T) {
	h := open(t)
	v, admin, support := h.customer(), h.customer("admin"), h.customer("support")
	made := admin.generate("100", "USD")
	require.Equal(t, "active", made.Status)
	require.Len(t, made.Code, 19)
	var found voucherapi.VoucherFound
	v.post("/api/vouchers/validate", `{"code":"`+made.Code+`"}`).is(http.StatusOK).read(&found)
	require.Equal(t, "100.00", found.Amount)
	require.Equal(t, "2.5", found.MarginPercent)
	require.Equal(t, "0.00195121", *found.Options[0].Amount)
	var coins []voucherapi.VoucherCoin
	for _, option := range found.Options {
		coins = append(coins, option.CryptoType)
	}
	require.Equal(t, []voucherapi.VoucherCoin{"BTC", "ETH", "USDT", "USDC"}, coins)
	require.Nil(t, found.Options[1].Amount, "ether has no price here")

	var mine voucherapi.RedeemedVoucher
	v.post("/api/vouchers/redeem", redemptionOf(made.Code)).is(http.StatusCreated).read(&mine)
	require.Equal(t, "pending", mine.LegacyStatus)
	require.Equal(t, "0.00195121", mine.CryptoAmount)
	h.server.background.Wait()
	require.Contains(t, h.flows.seen(&h.flows.started), "voucher "+mine.ID)
	again := v.post("/api/vouchers/validate", `{"code":"`+made.Code+`"}`).refused(http.StatusNotFound, "voucher_not_found")
	require.Equal(t, "Voucher code not found or already redeemed", again.text("message"))
	var detail voucherapi.RedeemedVoucherDetail
	v.get("/api/vouchers/" + mine.ID).is(http.StatusOK).read(&detail)
	require.Len(t, detail.Events, 1)
	v.post("/api/vouchers/redeem", redemptionOf("0000-0000-0000-0001")).refused(http.StatusNotFound, "voucher_not_found")

	require.NoError(t, voucher.VoucherNeedsPerson(t.Context(), h.db, mine.ID, casework.AttentionInternal, ""))
	var waiting []voucherapi.AdminVoucher
	support.get("/api/admin/vouchers?status=waiting").is(http.StatusOK).read(&waiting)
	require.Len(t, waiting, 1)
	require.Empty(t, waiting[0].Actions, "support reads")
	support.post("/api/admin/vouchers/"+made.ID+"/restore", `{"reason":"x"}`).refused(http.StatusForbidden, "forbidden")
	admin.post("/api/admin/vouchers/"+made.ID+"/restore", `{"reason":" "}`).refused(http.StatusUnprocessableEntity, "required")
	admin.post("/api/admin/vouchers/"+made.ID+"/restore", `{"reason":"no float"}`).is(http.StatusOK)
	admin.post("/api/admin/vouchers/"+made.ID+"/resume", `{"reason":"x"}`).refused(http.StatusConflict, "redemption_state")
	v.get("/api/vouchers/" + mine.ID).is(http.StatusOK).read(&detail)
	require.Equal(t, "restored", detail.Status)
	v.post("/api/vouchers/redeem", redemptionOf(made.Code)).is(http.StatusCreated)
	var summary voucherapi.VouchersSummary
	support.get("/api/admin/vouchers/summary").is(http.StatusOK).read(&summary)
	require.Equal(t, 1, summary.RedeemedToday)
	require.Equal(t, "100.00", summary.TotalValue)
	require.Equal(t, "0.0", *summary.SuccessRate)
	var record voucherapi.AdminVoucherDetail
	support.get("/api/admin/vouchers/" + made.ID).is(http.StatusOK).read(&record)
	require.Empty(t, record.Postings, "they are for who may read the ledger")
	h.customer("finance").get("/api/admin/vouchers/" + made.ID).is(http.StatusOK).read(&record)
	require.NotEmpty(t, record.Postings)
}

// The answer to a restore says what became of the voucher, and its customer's page says so too.
func TestRestoreAfterItsBatchWasVoided(t *testing.T) {
	h := open(t)
	v, admin := h.customer(), h.customer("admin")
	batch := store.NewID()
	var codes, ids []string
	for _, key := range []string{"voucher-1", "voucher-2"} {
		body := `{"amount":"25","currency":"USD","batchId":"` + batch + `"}`
		made := admin.post("/api/admin/vouchers", body, "Idempotency-Key", key).is(http.StatusCreated)
		codes, ids = append(codes, made.text("code")), append(ids, made.text("id"))
	}
	mine := v.post("/api/vouchers/redeem", redemptionOf(codes[0])).is(http.StatusCreated).text("id")
	require.NoError(t, voucher.VoucherNeedsPerson(t.Context(), h.db, mine, casework.AttentionInternal, ""))
	admin.post("/api/admin/voucher-batches/"+batch+"/void", `{"reason":"leaked"}`).is(http.StatusOK)
	said := admin.post("/api/admin/vouchers/"+ids[0]+"/restore", `{"reason":"no float"}`).is(http.StatusOK)
	const void = "The redemption was canceled. The voucher is void, because its batch was voided."
	require.Equal(t, void, said.text("message"))
	v.post("/api/vouchers/redeem", redemptionOf(codes[0])).refused(http.StatusNotFound, "voucher_not_found")
	var detail voucherapi.RedeemedVoucherDetail
	v.get("/api/vouchers/" + mine).is(http.StatusOK).read(&detail)
	require.EqualValues(t, "voided", detail.Events[len(detail.Events)-1].Kind)
}

// Every rule of specification §5, rules §5 and the form: its field, its message, and no
// redemption.
func TestBar23HostileVouchersAreRefusedByField(t *testing.T) {
	h := open(t)
	v, admin := h.customer(), h.customer("admin")
	dollars, coin := admin.generate("100", "USD").Code, admin.generate("0.001", "BTC").Code
	for name, c := range map[string]struct{ body, field, code string }{
		"short code":     {redemptionOf("1234-5678-9012-345"), "code", "bad_code"},
		"over-long code": {redemptionOf("1234-5678-9012-34567"), "code", "bad_code"},
		"letters":        {redemptionOf("1234-5678-9012-345x"), "code", "bad_code"},
		"other digits":   {redemptionOf("١٢٣٤٥٦٧٨٩٠١٢٣٤٥"), "code", "bad_code"},
		"no type":        {`{"code":"` + dollars + `","cryptoType":"","walletAddress":"` + btcAddress + `"}`, "cryptoType", "required"},
		"no wallet":      {`{"code":"` + dollars + `","cryptoType":"BTC","walletAddress":" "}`, "walletAddress", "required"},
		"unknown type":   {`{"code":"` + dollars + `","cryptoType":"DOGE","walletAddress":"` + btcAddress + `"}`, "cryptoType", "unknown_asset"},
		"wrong network":  {`{"code":"` + dollars + `","cryptoType":"ETH","walletAddress":"` + btcAddress + `"}`, "walletAddress", "wrong_network"},
		"mistyped":       {`{"code":"` + dollars + `","cryptoType":"BTC","walletAddress":"` + btcAddress[:len(btcAddress)-1] + `5"}`, "walletAddress", "bad_checksum"},
		"other coin":     {`{"code":"` + coin + `","cryptoType":"ETH","walletAddress":"0x52908400098527886E0F7030069857D2E4169EE7"}`, "cryptoType", "wrong_currency"},
		"hidden key":     {strings.Replace(redemptionOf(dollars), "}", `,"amount":"1000"}`, 1), "", ""},
	} {
		refused := v.post("/api/vouchers/redeem", c.body)
		require.Equal(t, http.StatusUnprocessableEntity, refused.status, "%s: %s", name, refused.body)
		if c.field != "" {
			require.Equal(t, c.field, refused.text("field"), name)
			require.Equal(t, c.code, refused.text("code"), name)
		}
	}
	require.Equal(t, "Please enter a valid 16-digit voucher code", v.post("/api/vouchers/validate", `{"code":"1"}`).is(http.StatusUnprocessableEntity).text("message"))
	empty := v.post("/api/vouchers/redeem", `{"code":"1","cryptoType":"","walletAddress":""}`)
	require.Equal(t, "Please fill in all required fields", empty.text("message"))
	require.Equal(t, "cryptoType walletAddress", empty.fields())
	for name, body := range map[string]string{
		"negative": `{"amount":"-5","currency":"USD"}`, "zero": `{"amount":"0","currency":"USD"}`, "exponent": `{"amount":"1e2","currency":"USD"}`,
		"forty zeros": `{"amount":"1` + strings.Repeat("0", 40) + `","currency":"USD"}`, "nineteen decimals": `{"amount":"0.0000000000000000001","currency":"ETH"}`,
		"wrong currency": `{"amount":"5","currency":"EUR"}`, "too much": `{"amount":"2000.01","currency":"USD"}`,
		"too late": `{"amount":"5","currency":"USD","expiresAt":"2099-01-01T00:00:00Z"}`, "past": `{"amount":"5","currency":"USD","expiresAt":"2020-01-01T00:00:00Z"}`,
		"bad batch": `{"amount":"5","currency":"USD","batchId":"x"}`, "hidden": `{"amount":"5","currency":"USD","status":"active"}`,
	} {
		require.Equal(t, http.StatusUnprocessableEntity, admin.post("/api/admin/vouchers", body).status, name)
	}
	batch := store.NewID()
	h.exec(`INSERT INTO vouchers (id, reference, batch_id, amount, currency, usd_value, status, code_hash, expires_at, created_by)
		SELECT gen_random_uuid(), 'X-' || n, $1, 1, 'USD', 1, 'voided', n::text::bytea, now(), $2 FROM generate_series(1, 100) n`, batch, admin.userID)
	require.Equal(t, "Quantity must be between 1 and 100", admin.post("/api/admin/vouchers", `{"amount":"5","currency":"USD","batchId":"`+batch+`"}`).is(http.StatusUnprocessableEntity).text("message"))
	require.Equal(t, http.StatusUnprocessableEntity, h.customer("admin").post("/api/admin/vouchers", `{"amount":"5","currency":"USD","batchId":"`+batch+`"}`).status, "somebody else's batch")
	unknown := v.post("/api/vouchers/validate", `{"code":"0000-0000-0000-0001"}`).refused(http.StatusNotFound, "voucher_not_found").text("message")
	alike := func(who *visitor) {
		t.Helper()
		for path, body := range map[string]string{"validate": `{"code":"` + dollars + `"}`, "redeem": redemptionOf(dollars)} {
			require.Equal(t, unknown, who.post("/api/vouchers/"+path, body).refused(http.StatusNotFound, "voucher_not_found").text("message"))
		}
	}
	alike(admin)
	alike(h.spelled(admin))
	require.Zero(t, h.redeemed())

	for _, status := range []string{"active", "expired"} {
		h.exec(`UPDATE vouchers SET expires_at = now() - interval '1 day', status = $1, sealed_code = CASE WHEN $1 = 'active' THEN sealed_code END WHERE status = 'active'`, status)
		alike(v)
	}
}

func TestVouchersOverTheLimitNeedAVerifiedIdentity(t *testing.T) {
	h := open(t)
	v, admin := h.customer(), h.customer("admin")
	h.exec(`UPDATE kyc_records SET level = 'none', status = 'not_started' WHERE user_id = $1`, v.userID)
	small, large, coin := admin.generate("300", "USD"), admin.generate("300.01", "USD"), admin.generate("0.007", "BTC")
	for _, code := range []string{large.Code, coin.Code} {
		var found voucherapi.VoucherFound
		v.post("/api/vouchers/validate", `{"code":"`+code+`"}`).is(http.StatusOK).read(&found)
		require.True(t, found.NeedsIdentity)
		v.post("/api/vouchers/redeem", redemptionOf(code)).refused(http.StatusForbidden, "kyc_required")
	}
	v.post("/api/vouchers/redeem", redemptionOf(small.Code)).is(http.StatusCreated)
}

func TestBar05VouchersBeyondOneAdminNeedAnother(t *testing.T) {
	h := open(t)
	one1, two, finance := h.customer("admin"), h.customer("admin"), h.customer("finance")
	one1.generate("2000", "USD")
	made := one1.generate("501", "USD")
	require.Equal(t, "awaiting_approval", made.Status)
	approve := "/api/admin/voucher-batches/" + made.BatchID + "/approve"
	one1.post(approve, "").refused(http.StatusForbidden, "own_voucher")
	finance.post(approve, "").refused(http.StatusForbidden, "forbidden")
	two.post("/api/admin/voucher-batches/"+store.NewID()+"/approve", "").is(http.StatusNotFound)
	two.post(approve, "").is(http.StatusOK)
	two.post(approve, "").refused(http.StatusConflict, "voucher_state")
	finance.post("/api/admin/vouchers", `{"amount":"5","currency":"USD"}`).refused(http.StatusForbidden, "forbidden")
	one1.post("/api/admin/vouchers/"+made.ID+"/void", `{"reason":"lost"}`).is(http.StatusNoContent)
	one1.post("/api/admin/vouchers/"+made.ID+"/void", `{"reason":"lost"}`).refused(http.StatusConflict, "voucher_state")
	require.Equal(t, 4, one[int](h, `SELECT count(*) FROM audit_log WHERE action LIKE 'voucher.%'`))
}

func TestBar17OneVoucherAHundredRedemptionsOverTwoReplicas(t *testing.T) {
	h := open(t)
	admin := h.customer("admin")
	made := admin.generate("100", "USD")
	other := h.serve(func(d *Dependencies) { d.Vault = h.server.Vault })
	people := make([]*visitor, 10)
	for i := range people {
		people[i] = h.customer()
	}
	var all sync.WaitGroup
	var mu sync.Mutex
	statuses := map[int]int{}
	for i := range 100 {
		all.Go(func() {
			v := *people[i%len(people)]
			if i%2 == 1 {
				client := *v.client
				client.Jar = jarFor(&v, other.URL)
				v.client, v.origin = &client, other.URL
			}
			status := v.post("/api/vouchers/redeem", redemptionOf(made.Code)).status
			mu.Lock()
			defer mu.Unlock()
			statuses[status]++
		})
	}
	all.Wait()
	require.Equal(t, map[int]int{http.StatusCreated: 1, http.StatusNotFound: 99}, statuses, asvs.Claim(t, "2.3.4"))
	require.Equal(t, 1, one[int](h, `SELECT count(DISTINCT group_key) FROM postings WHERE event = 'voucher_redeemed'`))
	require.Equal(t, 1, h.redeemed())
}

func TestBar13VoucherCodesAreNotGuessed(t *testing.T) {
	h := open(t, func(d *Dependencies) { d.RateScale = 1 })
	v := h.customer()
	replicas := []string{h.web.URL, h.serve(func(d *Dependencies) { d.RateScale = 1 }).URL, h.serve(func(d *Dependencies) { d.RateScale = 1 }).URL}
	// The general limit on calls is not the one that is meant here.
	old := rest.Rates[rest.Writing]
	require.GreaterOrEqual(t, old.Burst, voucherapi.CodesPerUser.Burst)
	var all sync.WaitGroup
	var mu sync.Mutex
	statuses := map[int]int{}
	for i := range 200 {
		all.Go(func() {
			guess := *v
			client := *v.client
			client.Jar = jarFor(v, replicas[i%3])
			guess.client, guess.origin = &client, replicas[i%3]
			path, body := "/api/vouchers/validate", fmt.Sprintf(`{"code":"%016d"}`, i)
			if i%2 == 1 {
				path, body = "/api/vouchers/redeem", redemptionOf(fmt.Sprintf("%016d", i))
			}
			a := guess.post(path, body)
			mu.Lock()
			defer mu.Unlock()
			statuses[a.status]++
			if a.status == http.StatusTooManyRequests {
				require.NotEmpty(t, a.header.Get("Retry-After"))
			}
		})
	}
	all.Wait()
	require.LessOrEqual(t, statuses[http.StatusNotFound], voucherapi.CodesPerUser.Burst+1, "%v: %s", statuses, asvs.Claim(t, "2.4.1"))
	require.Equal(t, 200, statuses[http.StatusNotFound]+statuses[http.StatusTooManyRequests], "%v", statuses)
	require.Equal(t, statuses[http.StatusNotFound], one[int](h, `SELECT count(*) FROM audit_log WHERE action = 'voucher.wrong_code' AND actor_id = $1`, v.userID))
	v.get("/api/auth/user").is(http.StatusOK)
	h.exec(`DELETE FROM rate_limits WHERE key NOT LIKE 'voucher:address:%'`)
	for range 40 { // one address, however many accounts
		h.customer().post("/api/vouchers/validate", `{"code":"0000000000000000"}`)
	}
	require.Equal(t, http.StatusTooManyRequests, h.customer().post("/api/vouchers/validate", `{"code":"0000000000000000"}`).status)
}

func TestBar19VoucherIntentsAreAnsweredOnce(t *testing.T) {
	h := open(t)
	v, other, admin := h.customer(), h.customer(), h.customer("admin")
	ask, key := `{"amount":"25","currency":"USD"}`, []string{"Idempotency-Key", "row-0000001"}
	first := admin.post("/api/admin/vouchers", ask, key...).is(http.StatusCreated)
	require.JSONEq(t, string(first.body), string(admin.post("/api/admin/vouchers", ask, key...).is(http.StatusCreated).body))
	admin.post("/api/admin/vouchers", `{"amount":"26","currency":"USD"}`, key...).refused(http.StatusUnprocessableEntity, "key_reused")
	require.Equal(t, 1, one[int](h, `SELECT count(*) FROM vouchers`))
	code := first.text("code")

	redeem := []string{"Idempotency-Key", "intent-0001"}
	var all sync.WaitGroup
	ids := make([]string, 6)
	for i := range ids {
		all.Go(func() {
			ids[i] = v.post("/api/vouchers/redeem", redemptionOf(code), redeem...).is(http.StatusCreated).text("id")
		})
	}
	all.Wait()
	for _, id := range ids {
		require.Equal(t, ids[0], id)
	}
	v.post("/api/vouchers/redeem", redemptionOf("1111222233334444"), redeem...).refused(http.StatusUnprocessableEntity, "key_reused")
	other.post("/api/vouchers/redeem", redemptionOf(code), redeem...).refused(http.StatusNotFound, "voucher_not_found")
	require.JSONEq(t, string(first.body), string(admin.post("/api/admin/vouchers", ask, key...).is(http.StatusCreated).body), "also once it is redeemed")
}

// A batch is made by one call, whole or not at all. Its codes are in no answer, and it awaits approval as a whole.
func TestVoucherBatchIsOneCall(t *testing.T) {
	h := open(t, unscaled)
	admin := h.customer("admin")
	key := []string{"Idempotency-Key", "batch-0001"}
	const path = "/api/admin/voucher-batches"
	made := admin.post(path, batchOf("20", 100, "Summer fair"), key...).is(http.StatusCreated)
	require.Equal(t, "2000.00 active", made.text("total")+" "+made.text("status"))
	require.NotContains(t, string(made.body), "code")
	require.JSONEq(t, string(made.body), string(admin.post(path, batchOf("20", 100, "Summer fair"), key...).is(http.StatusCreated).body))
	admin.post(path, batchOf("21", 100, "Summer fair"), key...).refused(http.StatusUnprocessableEntity, "key_reused")
	require.Equal(t, 100, one[int](h, `SELECT count(*) FROM vouchers WHERE status = 'active'`))
	require.Equal(t, "Summer fair", admin.get(path+"/"+made.text("id")).is(http.StatusOK).text("purpose"))
	require.Equal(t, 1, one[int](h, `SELECT count(*) FROM audit_log WHERE action = 'voucher_batch.generate' AND reason = 'Summer fair'`))

	// $2,000 of the $2,500 of a day are used: no voucher of the second batch is active.
	second := admin.post(path, batchOf("50", 12, "Autumn fair")).is(http.StatusCreated)
	require.Equal(t, "awaiting_approval", second.text("status"))
	require.Equal(t, 12, one[int](h, `SELECT count(*) FROM vouchers WHERE batch_id = $1 AND status = 'awaiting_approval'`, second.text("id")))
	approver := h.customer("admin")
	row := approver.approval(second.text("id"))
	require.Equal(t, "Autumn fair", row.Reason)
	approver.post(path+"/"+second.text("id")+"/approve", fmt.Sprintf(`{"version":%q}`, row.Version)).is(http.StatusOK)
	require.Equal(t, 112, one[int](h, `SELECT count(*) FROM vouchers WHERE status = 'active'`))

	for name, c := range map[string]struct{ body, field string }{
		"none": {batchOf("5", 0, "x"), "quantity"}, "too many": {batchOf("5", 101, "x"), "quantity"}, "no purpose": {batchOf("5", 2, "  "), "purpose"},
		"no amount": {batchOf("", 2, "x"), "amount"}, "too much": {batchOf("2000.01", 2, "x"), "amount"},
	} {
		require.Equal(t, c.field, admin.post(path, c.body).is(http.StatusUnprocessableEntity).text("field"), name)
	}
	require.Equal(t, 112, one[int](h, `SELECT count(*) FROM vouchers`))
}

// The code is in the answer to who made it and in the export, and nowhere else:
// not in any table, log or other answer.
func TestBar35VoucherCodesAreNowhereInClear(t *testing.T) {
	h := open(t)
	v, admin := h.customer(), h.customer("admin")
	made, spare := admin.generate("100", "USD"), admin.generate("50", "USD")
	v.post("/api/vouchers/validate", `{"code":"`+made.Code+`"}`).is(http.StatusOK)
	mine := v.post("/api/vouchers/redeem", redemptionOf(made.Code), "Idempotency-Key", "intent-0035").is(http.StatusCreated)
	again := v.post("/api/vouchers/redeem", redemptionOf(made.Code)).is(http.StatusNotFound)
	digits := strings.ReplaceAll(made.Code, "-", "")
	h.inNoTable(digits, made.Code)
	for _, text := range []string{h.log.String(), string(mine.body), string(again.body), string(v.get("/api/vouchers").body), string(admin.get("/api/admin/vouchers").body)} {
		require.NotContains(t, text, digits)
		require.NotContains(t, text, made.Code)
	}
	export := admin.post("/api/admin/vouchers/export", "").is(http.StatusOK)
	require.Regexp(t, `filename="vouchers-\d{4}-\d\d-\d\d.csv"`, export.header.Get("Content-Disposition"))
	lines := strings.Split(strings.TrimSpace(string(export.body)), "\n")
	require.Equal(t, "\ufeffCode,Amount,Currency,Created", lines[0], "a file for people begins with a byte order mark")
	require.Len(t, lines, 2, "a redeemed one is not handed out")
	require.True(t, strings.HasPrefix(lines[1], spare.Code+",50.00,USD,"), lines[1])
	require.Equal(t, 1, one[int](h, `SELECT count(*) FROM audit_log WHERE action = 'voucher.export'`))
	second := admin.enrol()
	admin.post("/api/admin/vouchers/export", "").refused(http.StatusForbidden, "fresh_code_required")
	admin.post("/api/admin/vouchers/export", "", rest.FreshCodeHeader, admin.code(second)).is(http.StatusOK)
	h.customer("finance").post("/api/admin/vouchers/export", "").refused(http.StatusForbidden, "forbidden")
	admin.post("/api/admin/vouchers/"+spare.ID+"/void", `{"reason":"done"}`).is(http.StatusNoContent)
	elsewhere := admin.generate("10", "USD").BatchID
	none := admin.post("/api/admin/vouchers/export?batch="+spare.BatchID, "").refused(http.StatusConflict, "no_vouchers")
	admin.post("/api/admin/vouchers/export?batch="+elsewhere, "", rest.FreshCodeHeader, admin.code(second)).is(http.StatusOK)
	require.Equal(t, "Generate some vouchers first", none.text("message"))
}

// inNoTable searches for secrets in a dump of all tables, as text and as bytes.
func (h *testServer) inNoTable(secrets ...string) {
	h.Helper()
	rows, err := h.db.Pool().Query(h.Context(), `SELECT table_name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'`)
	require.NoError(h, err)
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(h, err)
	require.Greater(h, len(tables), 20)
	owner := h.owner()
	for _, table := range tables {
		var dump string
		require.NoError(h, owner.Pool().QueryRow(h.Context(), `SELECT coalesce(string_agg(x::text, ' '), '') FROM "`+table+`" x`).Scan(&dump))
		for _, secret := range secrets {
			require.NotContains(h, dump, secret, table)
			require.NotContains(h, dump, hex.EncodeToString([]byte(secret)), table)
		}
	}
}

// An index finds a code, however many there are.
func TestVoucherIsFoundByOneIndexedLookup(t *testing.T) {
	h := open(t)
	admin := h.customer("admin")
	code := admin.generate("10", "USD").Code
	h.exec(`INSERT INTO vouchers (id, reference, batch_id, amount, currency, usd_value, status, code_hash, expires_at, created_by)
		SELECT gen_random_uuid(), 'X-' || n, gen_random_uuid(), 1, 'USD', 1, 'active', sha256(n::text::bytea), now(), $1 FROM generate_series(1, 20000) n`, admin.userID)
	owner := h.owner()
	_, err := owner.Pool().Exec(t.Context(), `ANALYZE vouchers`)
	require.NoError(t, err)
	before := touched(h, owner)
	_, err = voucher.FindVoucher(t.Context(), h.db, h.server.Vault, store.NewID(), code, voucher.VoucherTerms{})
	require.Equal(t, store.CodeNotFound, store.CodeOf(err), "nobody of that id")
	require.Less(t, touched(h, owner)-before, 100)
	var plan []byte
	require.NoError(t, h.db.Pool().QueryRow(t.Context(), `EXPLAIN (FORMAT JSON) SELECT * FROM vouchers WHERE code_hash = ANY(ARRAY['x'::bytea])`).Scan(&plan))
	require.True(t, json.Valid(plan))
	require.Contains(t, string(plan), "vouchers_by_code")
}

// vouchers reads the ids of the vouchers that a query shows, and checks that they are as
// many as are counted.
func (v *visitor) vouchers(query string) (ids []string) {
	v.Helper()
	var rows []voucherapi.AdminVoucher
	v.get("/api/admin/vouchers?limit=100&" + query).is(http.StatusOK).read(&rows)
	var summary voucherapi.VouchersSummary
	v.get("/api/admin/vouchers/summary?" + query).is(http.StatusOK).read(&summary)
	require.Equal(v, len(rows), summary.MatchingFilters, query)
	for _, row := range rows {
		ids = append(ids, row.ID)
	}
	return ids
}

// Vouchers are found by what a customer can say of theirs, and each filter counts
// what it shows.
func TestVouchersAreFoundAndFiltered(t *testing.T) {
	h := open(t, unscaled)
	v, admin, support := h.customer(), h.customer("admin"), h.customer("support")
	h.exec(`UPDATE users SET email = 'zoe.quill@example.com' WHERE id = $1`, v.userID)
	batch := store.NewID()
	var first, second voucherapi.MadeVoucher
	for _, made := range []*voucherapi.MadeVoucher{&first, &second} {
		admin.post("/api/admin/vouchers", `{"amount":"40","currency":"USD","batchId":"`+batch+`"}`).is(http.StatusCreated).read(made)
	}
	coin := admin.generate("0.001", "BTC")
	v.post("/api/vouchers/redeem", redemptionOf(second.Code)).is(http.StatusCreated)
	require.Equal(t, []string{second.ID, first.ID}, support.vouchers("batch="+batch))
	require.Equal(t, []string{coin.ID}, support.vouchers("currency=BTC"))
	require.Equal(t, []string{second.ID}, support.vouchers("q=zoe.quill"))
	require.Equal(t, []string{second.ID}, support.vouchers("q=zoe.quill&status=redeemed&currency=USD&batch="+batch))
	require.Empty(t, support.vouchers("q=zoe.quill&status=active"))
	require.Contains(t, support.vouchers("q="+coin.Code[15:]), coin.ID)
	require.Empty(t, support.vouchers("q="+coin.Code), "a whole code is looked for by its hash alone")
	require.Empty(t, support.vouchers("status=waiting&currency=USD"))
	for _, query := range []string{"batch=1", "batch=" + batch + "0", "currency=EUR", "status=lost", "q=" + strings.Repeat("1", 101), "cursor=1"} {
		support.get("/api/admin/vouchers?" + query).is(http.StatusUnprocessableEntity)
	}
	var row voucherapi.AdminVoucherDetail
	support.get("/api/admin/vouchers/" + second.ID).is(http.StatusOK).read(&row)
	require.Equal(t, second.Code[15:], *row.Last4)
	require.Equal(t, v.userID, row.Redemption.UserID)
}

// A batch has a page of its own; its voiding leaves what was redeemed, reports it, and
// above what one admin creates alone needs two.
func TestBatchesAreShownAndVoided(t *testing.T) {
	h := open(t, unscaled)
	v, admin, other, support := h.customer(), h.customer("admin"), h.customer("admin"), h.customer("support")
	small, large := store.NewID(), store.NewID()
	make := func(batch, amount string, n int) (made voucherapi.MadeVoucher) {
		for range n {
			admin.post("/api/admin/vouchers", `{"amount":"`+amount+`","currency":"USD","batchId":"`+batch+`"}`).is(http.StatusCreated).read(&made)
		}
		return made
	}
	taken := make(small, "40", 3)
	v.post("/api/vouchers/redeem", redemptionOf(taken.Code)).is(http.StatusCreated)
	path := "/api/admin/voucher-batches/" + small
	var batch voucherapi.AdminVoucherBatch
	support.get(path).is(http.StatusOK).read(&batch)
	require.Empty(t, batch.Actions, "support reads")
	require.Equal(t, 3, batch.Total)
	require.Equal(t, "80.00", batch.Values["active"])
	support.post(path+"/void", `{"reason":"x"}`).is(http.StatusForbidden)
	admin.post(path+"/void", `{"reason":" "}`).refused(http.StatusUnprocessableEntity, "required")
	admin.post("/api/admin/voucher-batches/"+store.NewID()+"/void", `{"reason":"x"}`).is(http.StatusNotFound)
	admin.get("/api/admin/voucher-batches/1").is(http.StatusNotFound)
	admin.post(path+"/void/agree", "").refused(http.StatusConflict, "batch_state")
	var reported voucherapi.BatchVoided
	admin.post(path+"/void", `{"reason":"sent to the wrong list"}`).is(http.StatusOK).read(&reported)
	require.Equal(t, voucherapi.BatchVoided{State: "voided", Voided: 2, Left: 1, Value: "80.00", Message: "2 voided; 1 were redeemed or had ended, and are left as they are."}, reported)
	require.Equal(t, "pending", v.get("/api/vouchers/"+one[string](h, `SELECT redemption_id::text FROM vouchers WHERE id = $1`, taken.ID)).text("legacyStatus"))

	make(large, "1300", 2)
	admin.get("/api/admin/voucher-batches/" + large).is(http.StatusOK).read(&batch)
	require.Equal(t, []string{"void"}, batch.Actions, "nobody approves their own")
	other.post("/api/admin/voucher-batches/"+large+"/approve", "").is(http.StatusOK)
	path = "/api/admin/voucher-batches/" + large
	admin.post(path+"/void", `{"reason":"leaked"}`).is(http.StatusOK).read(&reported)
	require.Equal(t, "asked", reported.State)
	admin.post(path+"/void/agree", "").refused(http.StatusForbidden, "own_batch")
	admin.get(path).is(http.StatusOK).read(&batch)
	require.Equal(t, []string{"refuse"}, batch.Actions, "to take it back")
	require.Equal(t, "leaked", batch.AskedWhy)
	other.post(path+"/void/refuse", "").is(http.StatusOK)
	admin.post(path+"/void", `{"reason":"leaked, really"}`).is(http.StatusOK)
	other.get(path).is(http.StatusOK).read(&batch)
	require.Equal(t, []string{"agree", "refuse"}, batch.Actions)
	other.post(path+"/void/agree", "").is(http.StatusOK).read(&reported)
	require.Equal(t, 2, reported.Voided)
	support.get(path).is(http.StatusOK).read(&batch)
	require.Equal(t, "2600.00", batch.Values["voided"])
	require.NotNil(t, batch.ApprovedBy)
	require.Equal(t, "leaked, really", batch.VoidReason)
	var list []voucherapi.AdminVoucherBatch
	support.get("/api/admin/voucher-batches?limit=1").is(http.StatusOK).read(&list)
	require.Equal(t, batch, list[0], "the newest first, as its page shows it")
}
