package bitgo

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/tradepost/tradepost/internal/provider"
	"github.com/tradepost/tradepost/models/money"
)

const providerName = "bitgo"

// defaultTimeout is how long one request may last. Signing inside Express needs several
// round trips of its own.
const defaultTimeout = 45 * time.Second

// Config is the access to BitGo Express.
type Config struct {
	// URL is the origin of Express.
	URL string
	// Token is the long-lived access token.
	Token string
	// Passphrase unlocks the user key inside Express. Empty when Express runs
	// with the passphrases in its own environment.
	Passphrase string
	// Wallets gives our wallet's id for each coin ticker: btc, eth, usdt, usdc,
	// trx:usdt, trx:usdc. ParseWallets reads it from text.
	Wallets map[string]string
	// Tickers are BitGo's own names of these coins where they differ: in its
	// test environment.
	Tickers map[string]string
	// Timeout bounds one request; zero means 45 seconds.
	Timeout time.Duration
}

// ParseWallets reads "btc=<id>,eth=<id>,…". It names the entry that is wrong:
// an unknown coin, one given twice, or an empty id.
func ParseWallets(text string) (map[string]string, error) {
	out := map[string]string{}
	for _, entry := range strings.Split(text, ",") {
		entry = strings.TrimSpace(entry)
		if entry == "" {
			continue
		}
		coin, id, _ := strings.Cut(entry, "=")
		if !slices.Contains(known, coin) || id == "" {
			return nil, fmt.Errorf("wallet %q: want coin=id with one of %s", entry, strings.Join(known, ", "))
		}
		if _, twice := out[coin]; twice {
			return nil, fmt.Errorf("wallet %q: the coin is given twice", entry)
		}
		out[coin] = id
	}
	return out, nil
}

// coins are BitGo's tickers by asset and network, known all of them: settings call
// wallets by them.
var coins, known = func() (map[provider.Wallet]string, []string) {
	coins, known := map[provider.Wallet]string{}, []string{}
	for _, asset := range money.Assets {
		for _, w := range asset.Wallets() {
			coins[provider.Wallet{Asset: asset, Network: w.Network}] = w.Name
			known = append(known, w.Name)
		}
	}
	return coins, known
}()

// Client implements provider.Custody.
type Client struct {
	config Config
	http   *http.Client
}

var _ provider.Custody = (*Client)(nil)

// New makes a client. It sends nothing.
func New(c Config) *Client {
	c.URL = strings.TrimRight(c.URL, "/")
	if c.Timeout == 0 {
		c.Timeout = defaultTimeout
	}
	return &Client{config: c, http: provider.NewHTTPClient(providerName, c.Timeout)}
}

// coin gives the ticker of a wallet, for calls about the coin itself.
func (c *Client) coin(operation string, w provider.Wallet) (string, error) {
	coin, ok := coins[w]
	if !ok {
		return "", refuse(operation, "no_wallet", fmt.Sprintf("%s on %s", w.Asset, w.Network))
	}
	return coin, nil
}

// coinPath gives the path all calls about a coin begin with.
func (c *Client) coinPath(coin string) string {
	if ticker := c.config.Tickers[coin]; ticker != "" {
		coin = ticker
	}
	return "/api/v2/" + coin
}

// walletPath gives the path all calls about a wallet begin with.
func (c *Client) walletPath(operation string, w provider.Wallet) (string, error) {
	coin, err := c.coin(operation, w)
	if err != nil {
		return "", err
	}
	id := c.config.Wallets[coin]
	if id == "" {
		return "", refuse(operation, "no_wallet", coin)
	}
	return c.coinPath(coin) + "/wallet/" + url.PathEscape(id), nil
}

// get reads a JSON answer into out.
func (c *Client) get(ctx context.Context, operation, path string, out any) error {
	return c.call(ctx, operation, http.MethodGet, path, nil, out)
}

// post sends in as JSON and reads the answer into out.
func (c *Client) post(ctx context.Context, operation, path string, in, out any) error {
	body, err := json.Marshal(in)
	if err != nil {
		return refuse(operation, "bad_request", "")
	}
	return c.call(ctx, operation, http.MethodPost, path, body, out)
}

func (c *Client) call(ctx context.Context, operation, method, path string, body []byte, out any) error {
	request, err := http.NewRequestWithContext(ctx, method, c.config.URL+path, bytes.NewReader(body))
	if err != nil {
		return refuse(operation, "bad_request", "")
	}
	request.GetBody = nil // never sent twice
	request.Header.Set("Authorization", "Bearer "+c.config.Token)
	request.Header.Set("Accept", "application/json")
	if len(body) > 0 {
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := c.http.Do(request)
	if err != nil {
		return c.lost(operation, err)
	}
	defer func() { _ = response.Body.Close() }()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		return c.lost(operation, err)
	}
	if response.StatusCode != http.StatusOK && response.StatusCode != http.StatusAccepted {
		return c.fail(operation, response, answer)
	}
	if json.Unmarshal(answer, out) != nil {
		return c.unreadable(operation, "the answer is not JSON of the expected form")
	}
	return nil
}

// Spendable gives what a wallet can send now.
func (c *Client) Spendable(ctx context.Context, w provider.Wallet) (money.Units, error) {
	const operation = "wallet"
	path, err := c.walletPath(operation, w)
	if err != nil {
		return money.Units{}, err
	}
	var wallet struct {
		Spendable string `json:"spendableBalanceString"`
	}
	if err := c.get(ctx, operation, path+"?allTokens=true", &wallet); err != nil {
		return money.Units{}, err
	}
	amount, err := money.ParseUnits(wallet.Spendable)
	if err != nil {
		return money.Units{}, c.unreadable(operation, "a wallet without a spendable balance")
	}
	return amount, nil
}

// VerifyAddress asks BitGo whether an address has the coin's form. Our own check
// (internal/address) decides; this is an additional check.
func (c *Client) VerifyAddress(ctx context.Context, w provider.Wallet, address string) (bool, error) {
	const operation = "verifyaddress"
	coin, err := c.coin(operation, w)
	if err != nil {
		return false, err
	}
	var answer struct {
		IsValid *bool `json:"isValid"`
	}
	in := map[string]string{"address": address}
	if err := c.post(ctx, operation, c.coinPath(coin)+"/verifyaddress", in, &answer); err != nil {
		return false, err
	}
	if answer.IsValid == nil {
		return false, c.unreadable(operation, "no verdict")
	}
	return *answer.IsValid, nil
}
