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
	"github.com/jackc/pgx/v5/pgtype"
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

// What is sent is exactly what models sends; a test compares.
const (
	// account.Enter
	sessionSQL = `
		WITH who AS (
		  SELECT u.id, u.email, s.last_seen_at < clock_now() - make_interval(secs => $3) AS stale,
		         f.enabled_at IS NOT NULL AS enrolled, coalesce(s.two_factor_at >= f.enabled_at, false) AS proven,
		         coalesce(s.two_factor_at >= greatest(f.enabled_at, clock_now() - make_interval(secs => $7)), false) AS lately,
		         u.frozen_at IS NOT NULL AS frozen,
		         (SELECT coalesce(array_agg(role ORDER BY role), '{}') FROM (SELECT r.user_id, r.role FROM user_roles r JOIN users holder ON holder.id = r.user_id
		WHERE holder.frozen_at IS NULL AND holder.disabled_at IS NULL AND holder.closed_at IS NULL) r WHERE user_id = u.id) AS roles
		    FROM sessions s JOIN users u ON u.id = s.user_id LEFT JOIN second_factors f ON f.user_id = u.id
		   WHERE s.token_hash = $1 AND s.revoked_at IS NULL AND s.expires_at > clock_now()
		     AND s.last_seen_at > clock_now() - make_interval(secs => $2) AND u.disabled_at IS NULL),
		touched AS (UPDATE sessions SET last_seen_at = clock_now() FROM who WHERE token_hash = $1 AND revoked_at IS NULL AND who.stale),
		passed AS (
		  INSERT INTO rate_limits AS r (key, tat) SELECT $4 || id::text, clock_now() + make_interval(secs => $5) FROM who
		  ON CONFLICT (key) DO UPDATE SET tat = greatest(r.tat, clock_now()) + make_interval(secs => $5)
		   WHERE greatest(r.tat, clock_now()) + make_interval(secs => $5) <= clock_now() + make_interval(secs => $6)
		  RETURNING true)
		SELECT id::text, email, roles, enrolled, proven, lately, frozen, EXISTS (SELECT FROM passed) FROM who`
	// store.Allow
	limiterSQL = `
		INSERT INTO rate_limits AS r (key, tat) VALUES ($1, clock_now() + make_interval(secs => $2))
		ON CONFLICT (key) DO UPDATE SET tat = greatest(r.tat, clock_now()) + make_interval(secs => $2)
		 WHERE greatest(r.tat, clock_now()) + make_interval(secs => $2) <= clock_now() + make_interval(secs => $3)
		RETURNING true`
	// account.ReadAccount
	accountSQL = `
		SELECT u.id, u.issuer, u.subject, u.email, u.email_verified, u.first_name, u.last_name, u.profile_image_url, u.country,
		       u.terms_version, u.terms_accepted_at, u.adult_confirmed_at, u.volume_tier, u.tier_until, u.disabled_at, u.frozen_at,
		       u.restricted_at, u.closed_at, u.created_at, u.updated_at,
		       (SELECT coalesce(array_agg(role ORDER BY role), '{}') FROM (SELECT r.user_id, r.role FROM user_roles r JOIN users holder ON holder.id = r.user_id
		WHERE holder.frozen_at IS NULL AND holder.disabled_at IS NULL AND holder.closed_at IS NULL) r WHERE user_id = u.id) AS granted,
		       (SELECT coalesce(array_agg(document || ' ' || version), '{}') FROM consents WHERE user_id = $1) AS agreed,
		       coalesce((SELECT amount FROM customer_balances WHERE account = $2 AND currency = 'USD'), 0) AS balance,
		       coalesce(k.level, 'none') AS kyc_level, coalesce(k.status, 'not_started') AS kyc_status,
		       coalesce(k.can_retry, true) AS kyc_can_retry, coalesce(k.on_hold, false) AS kyc_on_hold, coalesce(k.reason, '') AS kyc_reason,
		       coalesce(k.applicant_id, '') AS kyc_applicant_id, k.revoked_at AS kyc_revoked_at, k.provider_at AS kyc_at, k.polled_at AS kyc_polled_at
		  FROM users u LEFT JOIN kyc_records k ON k.user_id = u.id WHERE u.id = $1`
	// kyc.ReadTerms
	termsSQL = `
		SELECT coalesce(k.level, 'none'), k.revoked_at IS NOT NULL OR coalesce(k.expires_at <= clock_now(), false), u.volume_tier, u.disabled_at IS NOT NULL, u.frozen_at IS NOT NULL, u.restricted_at IS NOT NULL, NOT u.email_verified, u.country,
		       (SELECT version FROM pricing_state), clock_now()
		  FROM users u LEFT JOIN kyc_records k ON k.user_id = u.id WHERE u.id = $1`
	// reporting.tally
	tallySQL = `SELECT facet, sum(n) AS n, sum(amount) AS amount FROM (
		SELECT facet, n, amount FROM tallies WHERE list = $1 AND owner = $2
		UNION ALL SELECT facet, n, amount FROM tally_changes WHERE list = $1 AND owner = $2) t GROUP BY facet`

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
		var enrolled, proven, lately, frozen, passed bool
		err = b.db.QueryRow(c, sessionSQL, sum[:], 86400.0, 60.0, "bare:", tiny, huge, 600.0).Scan(&id, &email, &roles, &enrolled, &proven, &lately, &frozen, &passed)
		if err != nil || !passed {
			fail(c, errors.Join(err, errors.New("refused")))
			return
		}
		next(c, id)
	}
}

func (b *bare) user(c *gin.Context, id string) {
	var u struct {
		ID               string         `json:"id"`
		Issuer           string         `json:"-"`
		Subject          string         `json:"-"`
		Email            string         `json:"email"`
		EmailVerified    bool           `json:"emailVerified"`
		FirstName        string         `json:"firstName"`
		LastName         string         `json:"lastName"`
		Image            string         `json:"profileImageUrl"`
		Country          string         `json:"country"`
		TermsVersion     string         `json:"-"`
		TermsAcceptedAt  *time.Time     `json:"-"`
		AdultConfirmedAt *time.Time     `json:"-"`
		VolumeTier       string         `json:"volumeTier"`
		TierUntil        *time.Time     `json:"-"`
		DisabledAt       *time.Time     `json:"-"`
		FrozenAt         *time.Time     `json:"-"`
		RestrictedAt     *time.Time     `json:"-"`
		ClosedAt         *time.Time     `json:"-"`
		CreatedAt        time.Time      `json:"-"`
		UpdatedAt        time.Time      `json:"-"`
		Roles            []string       `json:"roles"`
		Agreed           []string       `json:"-"`
		Balance          pgtype.Numeric `json:"accountBalance"`
		KYCLevel         string         `json:"kycLevel"`
		KYCStatus        string         `json:"kycStatus"`
		KYCCanRetry      bool           `json:"-"`
		KYCOnHold        bool           `json:"-"`
		KYCReason        string         `json:"-"`
		KYCApplicantID   string         `json:"-"`
		KYCRevokedAt     *time.Time     `json:"-"`
		KYCAt            *time.Time     `json:"-"`
		KYCPolledAt      *time.Time     `json:"-"`
	}
	err := b.db.QueryRow(c, accountSQL, id, "customer:"+id+":balance").
		Scan(&u.ID, &u.Issuer, &u.Subject, &u.Email, &u.EmailVerified, &u.FirstName, &u.LastName, &u.Image, &u.Country,
			&u.TermsVersion, &u.TermsAcceptedAt, &u.AdultConfirmedAt, &u.VolumeTier, &u.TierUntil, &u.DisabledAt, &u.FrozenAt,
			&u.RestrictedAt, &u.ClosedAt, &u.CreatedAt, &u.UpdatedAt, &u.Roles, &u.Agreed, &u.Balance, &u.KYCLevel, &u.KYCStatus,
			&u.KYCCanRetry, &u.KYCOnHold, &u.KYCReason, &u.KYCApplicantID, &u.KYCRevokedAt, &u.KYCAt, &u.KYCPolledAt)
	if err != nil {
		fail(c, err)
		return
	}
	c.JSON(http.StatusOK, u)
}

type bareRow struct {
	ID               string         `json:"id"`
	Reference        string         `json:"reference"`
	UserID           string         `json:"userId"`
	Asset            string         `json:"asset"`
	Network          string         `json:"network"`
	Amount           pgtype.Numeric `json:"amountAsset"`
	DestAddress      string         `json:"destAddress"`
	PaymentMethod    string         `json:"paymentMethod"`
	Channel          string         `json:"channel"`
	Status           string         `json:"status"`
	Resolution       *string        `json:"resolution"`
	Attention        *string        `json:"attention"`
	AttentionSince   *time.Time     `json:"-"`
	ChoiceReason     *string        `json:"choiceReason"`
	ResumedAt        *time.Time     `json:"-"`
	Total            pgtype.Numeric `json:"quoteFiat"`
	PaymentDueAt     time.Time      `json:"paymentDueAt"`
	TxID             *string        `json:"txid"`
	FulfillmentCode  *string        `json:"fulfillmentCode"`
	FulfillmentError *string        `json:"fulfillmentError"`
	RetryCount       int            `json:"retryCount"`
	CreatedAt        time.Time      `json:"createdAt"`
	UpdatedAt        time.Time      `json:"updatedAt"`
	PaidAt           *time.Time     `json:"paidAt"`
	ClosedAt         *time.Time     `json:"closedAt"`
}

// orders sends what order.Orders makes: the columns that lists show.
func (b *bare) orders(c *gin.Context, id string) {
	rows, err := b.db.Query(c, `SELECT id, reference, user_id, asset, network, amount, dest_address, payment_method, channel, status, resolution,
		attention_reason, attention_since, choice_reason, resumed_at, total, payment_due_at, txid, fulfillment_code, fulfillment_error, retry_count,
		created_at, updated_at, paid_at, closed_at FROM orders WHERE orders.user_id = $1 ORDER BY orders.created_at DESC, orders.id DESC LIMIT 51`, id)
	if err != nil {
		fail(c, err)
		return
	}
	list, err := pgx.CollectRows(rows, pgx.RowToStructByPos[bareRow])
	if err != nil {
		fail(c, err)
		return
	}
	rows, err = b.db.Query(c, tallySQL, "orders", id)
	if err != nil {
		fail(c, err)
		return
	}
	counts, err := pgx.CollectRows(rows, pgx.RowToStructByPos[struct {
		Facet  string
		N      int
		Amount pgtype.Numeric
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

// pricing sends kyc.ReadTerms' query; what else a price needs is in
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
	var level, tier, country string
	var revoked, disabled, frozen, restricted, unproven bool
	var version int64
	var now time.Time
	err := b.db.QueryRow(c, termsSQL, id).Scan(&level, &revoked, &tier, &disabled, &frozen, &restricted, &unproven, &country, &version, &now)
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
