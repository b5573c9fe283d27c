// Package identity is Tradepost's own OpenID Connect provider, for installations without
// one. It is a process of its own on an origin of its own, with its own schema and database
// role; to the rest of Tradepost it is an issuer like any other.
//
// What holds here:
//
//   - One flow: authorisation code with PKCE S256, for one confidential client
//     and a fixed list of redirect addresses. Everything else is refused before
//     a page is shown.
//   - An authorisation request belongs to the browser that brought it. Its code
//     is used once; a second use also ends the access token of the first.
//   - Nothing that opens an account is stored readable: passwords are argon2id
//     hashes; session tokens, codes and mail links are SHA-256 hashes of 256
//     random bits; signing keys are sealed with the configured key. The outbox
//     names mails, never links: a link exists from the moment its mail leaves.
//   - No page discloses whether an e-mail address has an account. An unknown address costs
//     the same hash at sign-in; a request for a reset and a sign-up do the same work for
//     every address, and only the mail discloses the result.
//   - An account exists once the code mailed to its address was typed in the
//     browser that began. Codes are derived, never stored.
//   - Attempts are counted in Postgres before a password is checked, so that any number of
//     replicas and parallel guesses share one limit. A browser that signed in before has a
//     count of its own: an attacker cannot lock the owner out, and no limit affects an
//     existing session.
//   - Wrong secrets of the client are counted by address: with too many, no secret from
//     there is looked at. The site's own sign-ins are not counted.
//   - A form is accepted from this origin only, with a token bound to the
//     browser's cookies. No GET changes anything, save the authorisation
//     endpoints themselves. Sign-in always makes a new session token.
//   - A change or reset of the password ends the account's other sessions.
//   - Pages work without JavaScript, under a policy that names every source.
//   - Times of expiry are the database's, so replicas need not agree on one.
//   - In production mode it does not start unless it is enabled by name, nor with demo
//     accounts in its database, nor beside another issuer.
//
// Where to find what: routes.go is the table of pages; provider.go the
// protocol; storage_*.go what the protocol keeps; signin.go, signup.go,
// signup_code.go, recovery.go and account.go the pages; texts.go every sentence.
package identity
