package main

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// bareWeb serves what the API serves, as plainly as it can be done with gin and
// pgx: the same SQL, rows into structs, structs into JSON. No middleware, no
// validation, no log.
func bareWeb(ctx context.Context, address, database string) error {
	config, err := pgxpool.ParseConfig(database)
	if err != nil {
		return err
	}
	config.MaxConns = 12 // as the API's
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return err
	}
	defer pool.Close()
	gin.SetMode(gin.ReleaseMode)
	b, engine := &bare{pool}, gin.New()
	engine.GET("/empty", func(c *gin.Context) { c.Status(http.StatusOK) })
	engine.POST("/api/orders/calculate-pricing", b.signedIn(b.pricing))
	engine.GET("/api/auth/user", b.signedIn(b.user))
	engine.GET("/api/orders", b.signedIn(b.orders))
	engine.GET("/api/public/prices", b.prices)
	server := &http.Server{Addr: address, Handler: engine, ReadHeaderTimeout: 5 * time.Second}
	go func() { <-ctx.Done(); _ = server.Close() }()
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

type bare struct{ db *pgxpool.Pool }

// sessionSQL and limiterSQL are models.DB.Enter's and Allow's.
const (
	sessionSQL = `
		WITH who AS (
		  SELECT u.id, u.email, s.last_seen_at < clock_now() - make_interval(secs => $3) AS stale,
		         (SELECT coalesce(array_agg(role ORDER BY role), '{}') FROM user_roles WHERE user_id = u.id) AS roles
		    FROM sessions s JOIN users u ON u.id = s.user_id
		   WHERE s.token_hash = $1 AND s.revoked_at IS NULL AND s.expires_at > clock_now()
		     AND s.last_seen_at > clock_now() - make_interval(secs => $2) AND u.disabled_at IS NULL),
		touched AS (UPDATE sessions SET last_seen_at = clock_now() FROM who WHERE token_hash = $1 AND revoked_at IS NULL AND who.stale),
		passed AS (
		  INSERT INTO rate_limits AS r (key, tat) SELECT $4 || id::text, clock_now() + make_interval(secs => $5) FROM who
		  ON CONFLICT (key) DO UPDATE SET tat = greatest(r.tat, clock_now()) + make_interval(secs => $5)
		   WHERE greatest(r.tat, clock_now()) + make_interval(secs => $5) <= clock_now() + make_interval(secs => $6)
		  RETURNING true)
		SELECT id::text, email, roles, EXISTS (SELECT FROM passed) FROM who`
	limiterSQL = `
		INSERT INTO rate_limits AS r (key, tat) VALUES ($1, clock_now() + make_interval(secs => $2))
		ON CONFLICT (key) DO UPDATE SET tat = greatest(r.tat, clock_now()) + make_interval(secs => $2)
		 WHERE greatest(r.tat, clock_now()) + make_interval(secs => $2) <= clock_now() + make_interval(secs => $3)
		RETURNING true`
	tiny, huge = 0.000001, 1000.0
)

func fail(c *gin.Context, err error) { c.String(http.StatusInternalServerError, err.Error()) }

// signedIn reads the session and counts the request.
func (b *bare) signedIn(next func(*gin.Context, string)) gin.HandlerFunc {
	return func(c *gin.Context) {
		token, err := c.Cookie("session")
		if err != nil {
			fail(c, err)
			return
		}
		sum := sha256.Sum256([]byte(token))
		var id, email string
		var roles []string
		var passed bool
		err = b.db.QueryRow(c, sessionSQL, sum[:], 86400.0, 60.0, "bare:", tiny, huge).Scan(&id, &email, &roles, &passed)
		if err != nil || !passed {
			fail(c, errors.Join(err, errors.New("refused")))
			return
		}
		next(c, id)
	}
}

// user sends models.DB.Account's query.
func (b *bare) user(c *gin.Context, id string) {
	var u struct {
		ID            string   `json:"id"`
		Email         string   `json:"email"`
		EmailVerified bool     `json:"emailVerified"`
		FirstName     string   `json:"firstName"`
		LastName      string   `json:"lastName"`
		Image         string   `json:"profileImageUrl"`
		Country       string   `json:"country"`
		VolumeTier    string   `json:"volumeTier"`
		Roles         []string `json:"roles"`
		Balance       string   `json:"accountBalance"`
		KYCLevel      string   `json:"kycLevel"`
		KYCStatus     string   `json:"kycStatus"`
	}
	err := b.db.QueryRow(c, `
		SELECT u.id::text, u.email, u.email_verified, u.first_name, u.last_name, u.profile_image_url, u.country, u.volume_tier,
		       (SELECT coalesce(array_agg(role ORDER BY role), '{}') FROM user_roles WHERE user_id = u.id),
		       coalesce((SELECT amount FROM customer_balances WHERE account = $2 AND currency = 'USD'), 0)::text,
		       coalesce(k.level, 'none'), coalesce(k.status, 'not_started')
		  FROM users u LEFT JOIN kyc_records k ON k.user_id = u.id WHERE u.id = $1`, id, "customer:"+id+":balance").
		Scan(&u.ID, &u.Email, &u.EmailVerified, &u.FirstName, &u.LastName, &u.Image, &u.Country, &u.VolumeTier, &u.Roles, &u.Balance, &u.KYCLevel, &u.KYCStatus)
	if err != nil {
		fail(c, err)
		return
	}
	c.JSON(http.StatusOK, u)
}

type bareRow struct {
	ID            string    `json:"id"`
	Reference     string    `json:"reference"`
	UserID        string    `json:"userId"`
	Asset         string    `json:"asset"`
	Network       string    `json:"network"`
	Amount        string    `json:"amountAsset"`
	Total         string    `json:"quoteFiat"`
	PaymentMethod string    `json:"paymentMethod"`
	Channel       string    `json:"channel"`
	Status        string    `json:"status"`
	Resolution    *string   `json:"resolution"`
	DestAddress   string    `json:"destAddress"`
	TxID          *string   `json:"txid"`
	RetryCount    int       `json:"retryCount"`
	Attention     *string   `json:"attention"`
	PaymentDueAt  time.Time `json:"paymentDueAt"`
	CreatedAt     time.Time `json:"createdAt"`
	UpdatedAt     time.Time `json:"updatedAt"`
}

// orders sends models.DB.Orders' query and the one that counts.
func (b *bare) orders(c *gin.Context, id string) {
	rows, err := b.db.Query(c, `SELECT id::text, reference, user_id::text, asset, network, amount::text, total::text, payment_method, channel, status, resolution,
		dest_address, txid, retry_count, attention_reason, payment_due_at, created_at, updated_at
		FROM orders WHERE user_id = $1 ORDER BY created_at DESC, id DESC LIMIT 51`, id)
	if err != nil {
		fail(c, err)
		return
	}
	list, err := pgx.CollectRows(rows, pgx.RowToStructByPos[bareRow])
	if err != nil {
		fail(c, err)
		return
	}
	rows, err = b.db.Query(c, `SELECT facet, sum(n) AS n, sum(amount)::text AS amount FROM (
		SELECT facet, n, amount FROM tallies WHERE list = $1 AND owner = $2
		UNION ALL SELECT facet, n, amount FROM tally_changes WHERE list = $1 AND owner = $2) t GROUP BY facet`, "orders", id)
	if err != nil {
		fail(c, err)
		return
	}
	counts, err := pgx.CollectRows(rows, pgx.RowToStructByPos[struct {
		Facet  string
		N      int
		Amount string
	}])
	if err != nil {
		fail(c, err)
		return
	}
	total := 0
	for _, count := range counts {
		total += count.N
	}
	c.Header("X-Total-Count", http.StatusText(total))
	c.JSON(http.StatusOK, list[:min(len(list), 50)])
}

// pricing sends models.DB.customerTerms' query; what else a price needs is in
// memory on both sides.
func (b *bare) pricing(c *gin.Context, id string) {
	var asked struct {
		Asset         string `json:"asset"`
		AmountAsset   string `json:"amountAsset"`
		PaymentMethod string `json:"paymentMethod"`
		DestAddress   string `json:"destAddress"`
	}
	if err := c.ShouldBindJSON(&asked); err != nil {
		fail(c, err)
		return
	}
	var level, tier string
	var revoked, disabled, frozen bool
	var now time.Time
	err := b.db.QueryRow(c, `
		SELECT coalesce(k.level, 'none') AS level, k.revoked_at IS NOT NULL AS revoked, u.volume_tier,
		       u.disabled_at IS NOT NULL AS disabled, u.frozen_at IS NOT NULL AS frozen, clock_now() AS now
		  FROM users u LEFT JOIN kyc_records k ON k.user_id = u.id WHERE u.id = $1`, id).Scan(&level, &revoked, &tier, &disabled, &frozen, &now)
	if err != nil {
		fail(c, err)
		return
	}
	sum := sha256.Sum256([]byte(asked.AmountAsset + level + tier))
	c.JSON(http.StatusOK, gin.H{"basePrice": "600.00", "paymentMethodFee": "21.00", "volumeDiscount": "0.00", "total": "621.00",
		"quoteId": base64.RawURLEncoding.EncodeToString(sum[:]), "expiresAt": now.Add(time.Minute), "expiresInSeconds": 60, "unitPrice": "60000"})
}

// prices reads them on every call, behind the limiter.
func (b *bare) prices(c *gin.Context) {
	var passed bool
	if err := b.db.QueryRow(c, limiterSQL, "bare:address:"+c.ClientIP(), tiny, huge).Scan(&passed); err != nil {
		fail(c, err)
		return
	}
	rows, err := b.db.Query(c, `SELECT asset, ask::text, priced_at FROM markets`)
	if err != nil {
		fail(c, err)
		return
	}
	list, err := pgx.CollectRows(rows, pgx.RowToStructByPos[struct {
		Asset, Ask string
		At         *time.Time
	}])
	if err != nil {
		fail(c, err)
		return
	}
	prices := map[string]string{}
	for _, row := range list {
		prices[row.Asset] = row.Ask
	}
	c.JSON(http.StatusOK, gin.H{"cryptoPrices": prices, "lastUpdated": time.Now()})
}
