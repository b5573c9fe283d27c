package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

const newPassword = "violet-harbour-lantern-41"

// signIn signs in to an account that exists.
func (b *browser) signIn(ctx context.Context) error {
	p, err := b.open(ctx, b.town.stack.SiteURL()+"/api/login")
	if err != nil {
		return err
	}
	if p.address.Host != site(b.town).Host { // not signed in at the identity provider either
		if p, err = b.submit(ctx, p, "/signin", map[string]string{"email": b.mail, "password": b.pass}); err != nil {
			return err
		}
	}
	return b.begin(ctx)
}

func site(t *town) *url.URL {
	address, err := url.Parse(t.stack.SiteURL())
	if err != nil {
		panic(err) // the launcher's own
	}
	return address
}

// begin learns what the site needs of a session.
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

// signUp makes an account at the identity provider, confirms its address from
// the mailbox, and comes back signed in.
func (b *browser) signUp(ctx context.Context) error {
	p, err := b.open(ctx, b.town.stack.SiteURL()+"/api/login?screen=signup&returnTo=/kyc")
	if err != nil {
		return err
	}
	p, err = b.submit(ctx, p, "/signup", map[string]string{"email": b.mail, "new_password": b.pass,
		"given_name": b.given, "family_name": b.family, "country": "US", "adult": "yes", "terms": "yes"})
	if err != nil {
		return err
	}
	if p.address.Host != site(b.town).Host {
		return fmt.Errorf("signing up leads to %s (%d)", p.address, p.status)
	}
	link, err := b.mailedLink(ctx, "/verify")
	if err != nil {
		return err
	}
	if p, err = patiently(ctx, func() (page, error) { return b.open(ctx, link) }); err != nil {
		return err
	}
	if _, err = patiently(ctx, func() (page, error) { return b.submit(ctx, p, "/verify", nil) }); err != nil {
		return err
	}
	if _, err = b.open(ctx, b.town.stack.SiteURL()+"/api/login"); err != nil { // the site hears of it at a sign-in
		return err
	}
	return b.begin(ctx)
}

// patiently asks again when it is told to wait: a whole town that comes from one
// address opens more links than the identity provider lets one address open.
func patiently(ctx context.Context, ask func() (page, error)) (page, error) {
	for {
		p, err := ask()
		if err != nil || p.status != http.StatusTooManyRequests {
			return p, err
		}
		seconds, err := strconv.Atoi(p.header.Get("Retry-After"))
		if err != nil {
			return p, fmt.Errorf("%s says neither yes nor when: %w", p.address, err)
		}
		if err := pause(ctx, time.Duration(seconds)*time.Second); err != nil {
			return p, err
		}
	}
}

// mailedLink waits for a mail with a link to a path of the identity provider.
func (b *browser) mailedLink(ctx context.Context, path string) (string, error) {
	for {
		var mails []struct{ Links []string }
		err := b.town.control(ctx, http.MethodGet, "/mailbox/api/messages?to="+url.QueryEscape(b.mail), nil, &mails)
		for _, mail := range mails {
			for _, link := range mail.Links {
				if strings.HasPrefix(link, b.town.stack.IdentityURL()+path) {
					return link, nil
				}
			}
		}
		if pause(ctx, 200*time.Millisecond) != nil {
			return "", errors.Join(errors.New("no mail with a link to "+path), err)
		}
	}
}

// passKYC goes through the identity check's widget with a token of the site, as
// its page does; the site learns the outcome from the signed webhook.
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
		if err := b.town.control(ctx, http.MethodPost, step.path, step.body, nil); err != nil {
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

// Cards that the simulated Stripe knows.
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
