package e2e

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/internal/local/asvs"
)

// Everything that is wrong with an order is refused with the field it is about
// and a sentence, and leaves no row behind.
func TestBar23BadOrdersAreRefused(t *testing.T) {
	t.Parallel()
	customer, claim := verified(t), asvs.Claim(t, "2.2.3")
	good := some(t, "BTC", "0.002")
	with := func(change func(*purchase)) purchase { changed := good; change(&changed); return changed }
	amount := func(text string) purchase { return with(func(p *purchase) { p.amount = text }) }
	to := func(asset, amount, address string) purchase { return purchase{asset, amount, address, "card"} }
	for name, bad := range map[string]struct {
		what  purchase
		field string
	}{
		"unknown asset":     {with(func(p *purchase) { p.asset = "DOGE" }), "asset"},
		"unknown method":    {good.by("cheque"), "paymentMethod"},
		"disabled method":   {good.by("cash"), "paymentMethod"},
		"negative":          {amount("-0.01"), "amountAsset"},
		"zero":              {amount("0"), "amountAsset"},
		"exponent":          {amount("1e2"), "amountAsset"},
		"huge":              {amount("1" + strings.Repeat("0", 40)), "amountAsset"},
		"nineteen decimals": {amount("0.0100000000000000001"), "amountAsset"},
		"not a number":      {amount("much"), "amountAsset"},
		"below the minimum": {amount("0.00001"), "amountAsset"},
		"above the limit":   {amount("3"), "amountAsset"},
		"no address":        {with(func(p *purchase) { p.address = " " }), "destAddress"},
		"bad checksum":      {to("BTC", "0.002", "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5"), "destAddress"},
		"bad EIP-55":        {to("ETH", "0.05", "0x5aAeb6053f3E94C9b9A09f33669435E7Ef1BeAed"), "destAddress"},
		"testnet":           {to("BTC", "0.002", "tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx"), "destAddress"},
		"wrong network":     {to("BTC", "0.002", "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"), "destAddress"},
		"token contract":    {to("USDT", "100", "0xdAC17F958D2ee523a2206206994597C13D831ec7"), "destAddress"},
		"zero address":      {to("ETH", "0.05", "0x0000000000000000000000000000000000000000"), "destAddress"},
	} {
		status, said := customer.refused("/api/orders", map[string]string{"asset": bad.what.asset, "amountAsset": bad.what.amount,
			"paymentMethod": bad.what.method, "destAddress": bad.what.address})
		require.Contains(t, []int{http.StatusUnprocessableEntity, http.StatusConflict}, status, "%s: %s", name, said.Message)
		require.Equal(t, bad.field, said.about(), "%s: %s: %s", name, said.Message, claim)
		require.NotEmpty(t, said.Message, name)
	}
	refusesQuotes(t, customer, good)
	var orders []order
	customer.get("/api/orders", &orders)
	require.Empty(t, orders)
}

// refusesQuotes tries quotes that are not the customer's, or not for this.
func refusesQuotes(t *testing.T, customer *visitor, what purchase) {
	t.Helper()
	quote, _ := customer.quote(what)
	theirs, _ := verified(t).quote(what)
	for name, bad := range map[string]struct {
		quote, amount string
	}{
		"altered": {quote[:len(quote)-4] + "AAAA", what.amount}, "another's": {theirs, what.amount}, "for another amount": {quote, "0.003"},
	} {
		status, said := customer.refused("/api/orders", map[string]string{"asset": what.asset, "amountAsset": bad.amount,
			"paymentMethod": what.method, "destAddress": what.address, "quoteId": bad.quote})
		require.Contains(t, []int{http.StatusUnprocessableEntity, http.StatusConflict}, status, name)
		require.NotEmpty(t, said.Message, name)
	}
}

func TestUnverifiedCustomerCannotOrder(t *testing.T) {
	t.Parallel()
	customer, what := signedUp(t), some(t, "BTC", "0.01")
	status, said := customer.refused("/api/orders", map[string]string{
		"asset": what.asset, "amountAsset": what.amount, "paymentMethod": what.method, "destAddress": what.address})
	require.Equal(t, http.StatusForbidden, status)
	require.NotEmpty(t, said.Message)
	var orders []order
	customer.get("/api/orders", &orders)
	require.Empty(t, orders)
}

// Another customer's order exists for staff only; and files of another type than claimed, or too many, are refused.
func TestBar01And37ForeignOrdersAndHostileFiles(t *testing.T) {
	t.Parallel()
	owner, other := verified(t), verified(t)
	o := owner.buy(some(t, "BTC", "0.003").by("domestic_wire"))
	require.Equal(t, http.StatusNotFound, other.call(http.MethodGet, "/api/orders/"+o.ID, nil, nil))
	require.Equal(t, http.StatusNotFound, other.call(http.MethodGet, "/api/orders/"+o.ID+"/receipt", nil, nil))
	require.Equal(t, http.StatusNotFound, other.call(http.MethodPost, "/api/orders/"+o.ID+"/cancel", nil, nil))
	require.Equal(t, http.StatusNotFound, other.upload(o.ID, "receipt", "a.png", picture(t)).status)
	require.Equal(t, http.StatusForbidden, other.call(http.MethodPost, "/api/admin/orders/"+o.ID+"/fulfill", map[string]string{}, nil))

	for name, file := range map[string][]byte{
		"svg":       []byte(`<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`),
		"html":      append([]byte("\x89PNG\r\n\x1a\n"), "<html><script>alert(1)</script>"...),
		"too large": append(picture(t), bytes.Repeat([]byte{0}, 9<<20)...),
		"a bomb":    enormous(),
		"empty":     {},
	} {
		status := owner.upload(o.ID, "receipt", "../../"+name+".png", file).status
		require.Contains(t, []int{http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity, http.StatusBadRequest}, status, name)
	}
	var kept int
	require.NoError(t, database.QueryRow(t.Context(), "SELECT count(*) FROM evidence WHERE order_id = $1", o.ID).Scan(&kept))
	require.Zero(t, kept)
	require.Equal(t, "pending", owner.order(o.ID).Status)
}

// enormous is the head of a PNG of 12,000 by 12,000 pixels.
func enormous() []byte {
	head := binary.BigEndian.AppendUint32([]byte("IHDR"), 12000)
	head = append(binary.BigEndian.AppendUint32(head, 12000), 8, 2, 0, 0, 0)
	file := binary.BigEndian.AppendUint32([]byte("\x89PNG\r\n\x1a\n"), 13)
	file = append(file, head...)
	return binary.BigEndian.AppendUint32(file, crc32.ChecksumIEEE(head))
}
