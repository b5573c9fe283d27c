package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"
)

const newPassword = "violet-harbour-lantern-41"

// signIn signs in to an account that exists.
func (b *browser) signIn(ctx context.Context) error {
	p, err := b.open(ctx, b.cluster.stack.SiteURL()+"/api/login")
	if err != nil {
		return err
	}
	if p.address.Host != site(b.cluster).Host { // not signed in at the identity provider either
		if p, err = b.submit(ctx, p, "/signin", map[string]string{"email": b.mail, "password": b.pass}); err != nil {
			return err
		}
	}
	return b.begin(ctx)
}

func site(t *cluster) *url.URL {
	address, err := url.Parse(t.stack.SiteURL())
	if err != nil {
		panic(err) // the launcher's own
	}
	return address
}

// begin reads what the site needs of a session.
func (b *browser) begin(ctx context.Context) error {
	got := b.call(ctx, http.MethodGet, "/api/csrf-token", "", nil)
	var token struct{ CSRFToken string }
	if err := got.read(&token); err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.csrf = token.CSRFToken
	return nil
}

// signUp creates an account at the identity provider with the code that it mails, and returns signed in.
func (b *browser) signUp(ctx context.Context) error {
	p, err := b.open(ctx, b.cluster.stack.SiteURL()+"/api/login?screen=signup&returnTo=/kyc")
	if err != nil {
		return err
	}
	p, err = b.submit(ctx, p, "/signup", map[string]string{"email": b.mail, "new_password": b.pass,
		"given_name": b.given, "family_name": b.family, "country": "US", "adult": "yes", "terms": "yes"})
	if err != nil {
		return err
	}
	code, err := b.mailedCode(ctx)
	if err != nil {
		return err
	}
	if p, err = b.submit(ctx, p, "/signup/code", map[string]string{"code": code}); err != nil {
		return err
	}
	if p.address.Host != site(b.cluster).Host {
		return fmt.Errorf("signing up leads to %s (%d)", p.address, p.status)
	}
	return b.begin(ctx)
}

var codeInSubject = regexp.MustCompile(`confirmation code: (\d{6})$`)

// mailedCode waits for the mail with the code of a sign-up.
func (b *browser) mailedCode(ctx context.Context) (string, error) {
	for {
		var mails []struct{ Subject string }
		err := b.cluster.control(ctx, http.MethodGet, "/mailbox/api/messages?to="+url.QueryEscape(b.mail), nil, &mails)
		for _, mail := range mails {
			if found := codeInSubject.FindStringSubmatch(mail.Subject); found != nil {
				return found[1], nil
			}
		}
		if pause(ctx, 200*time.Millisecond) != nil {
			return "", errors.Join(errors.New("no mail with the code of a sign-up"), err)
		}
	}
}

// confirm follows the mailed link of a payout, a copy of one's data or an order, until it is confirmed.
func (b *browser) confirm(ctx context.Context, id string) answer {
	ctx, stop := context.WithTimeout(ctx, time.Minute)
	defer stop()
	for {
		var mails []struct{ Links []string }
		_ = b.cluster.control(ctx, http.MethodGet, "/mailbox/api/messages?to="+url.QueryEscape(b.mail), nil, &mails) // asked again
		for _, mail := range mails {
			for _, link := range mail.Links {
				at, token, found := strings.Cut(link, "#confirm=")
				if !found || !strings.HasSuffix(at, id) && !strings.HasSuffix(at, "/settings/privacy") {
					continue
				}
				if got := b.post(ctx, "/api/confirmations/"+id, "", map[string]string{"token": token}); got.done() {
					return got
				}
			}
		}
		if pause(ctx, 500*time.Millisecond) != nil {
			return answer{status: http.StatusTooEarly, code: "not_confirmed"}
		}
	}
}

// passKYC completes the identity check's widget with a token of the site, as its page does; the site learns the outcome
// from the signed webhook.
func (b *browser) passKYC(ctx context.Context) error {
	var token struct{ Token string }
	if err := b.post(ctx, "/api/kyc/token", "", map[string]string{}).read(&token); err != nil {
		return err
	}
	for _, step := range []struct {
		path string
		body map[string]string
	}{
		{"/websdk/api/launch", map[string]string{"accessToken": token.Token}},
		{"/websdk/api/submit", map[string]string{"accessToken": token.Token, "country": "USA", "document": "PASSPORT", "outcome": "approve"}},
	} {
		if err := b.cluster.control(ctx, http.MethodPost, step.path, step.body, nil); err != nil {
			return err
		}
	}
	for {
		var kyc struct{ Status string }
		if err := b.get(ctx, "/api/kyc/status", &kyc); err != nil {
			return err
		}
		if kyc.Status == "approved" {
			return nil
		}
		if err := pause(ctx, 200*time.Millisecond); err != nil {
			return fmt.Errorf("identity is %s: %w", kyc.Status, err)
		}
	}
}

// Test cards of the simulated Stripe.
var cardNumbers = map[string]string{
	"good": "4242424242424242", "declined": "4000000000000002", "secure": "4000000000003220", "secure_failed": "4000000000003220",
}

// pay fills in the hosted payment page.
func (b *browser) pay(ctx context.Context, checkout, card string) error {
	p, err := b.open(ctx, checkout)
	if err != nil {
		return err
	}
	p, err = b.submit(ctx, p, "", map[string]string{"number": cardNumbers[card], "expiry": "12 / 40", "cvc": "123", "name": "Erin Example"})
	if err != nil || !strings.HasPrefix(card, "secure") {
		return err
	}
	result := map[string]string{"secure": "complete", "secure_failed": "fail"}[card]
	_, err = b.submit(ctx, p, "", map[string]string{"result": result})
	return err
}
