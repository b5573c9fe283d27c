package identity

import (
	"context"
	"errors"
	"runtime"
	"runtime/debug"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/alexedwards/argon2id"
	"github.com/ccojocar/zxcvbn-go"

	"github.com/tradepost/tradepost/internal/typed"
)

// hashing is argon2id at OWASP's first choice: 46 MiB, one pass, one lane.
var hashing = &argon2id.Params{Memory: 47104, Iterations: 1, Parallelism: 1, SaltLength: 16, KeyLength: 32}

// Bounds of a password, in characters, and the zxcvbn score (0 to 4) it needs.
const (
	minPasswordLength = 10
	maxPasswordLength = 128
	minPasswordScore  = 3
)

// zxcvbnInput bounds what the strength estimate reads: its time grows faster
// than its input, and 64 characters decide.
const zxcvbnInput = 64

// errBusy is returned when too many passwords wait to be hashed.
var errBusy = errors.New("too many passwords are being checked")

// hasher runs argon2id, as many at once as there are cores, so that a crowd
// costs time and not memory.
type hasher struct {
	slots chan struct{}
	queue chan struct{}
	idle  *time.Timer
	dummy string
}

// idleAfter is how long after the last hash its memory is returned to the system: each
// needs 46 MiB, which the runtime would keep.
const idleAfter = 3 * time.Second

func newHasher() (*hasher, error) {
	dummy, err := argon2id.CreateHash(newToken(), hashing)
	if err != nil {
		return nil, err
	}
	n := runtime.GOMAXPROCS(0)
	return &hasher{
		slots: make(chan struct{}, n), queue: make(chan struct{}, 64*n),
		idle: time.AfterFunc(idleAfter, debug.FreeOSMemory), dummy: dummy,
	}, nil
}

func (h *hasher) enter(ctx context.Context) error {
	select {
	case h.queue <- struct{}{}:
	default:
		return errBusy
	}
	select {
	case h.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		<-h.queue
		return ctx.Err()
	}
}

func (h *hasher) leave() {
	<-h.slots
	<-h.queue
	h.idle.Reset(idleAfter)
}

// hash returns the encoded argon2id hash of password.
func (h *hasher) hash(ctx context.Context, password string) (string, error) {
	if err := h.enter(ctx); err != nil {
		return "", err
	}
	defer h.leave()
	return argon2id.CreateHash(typed.Password(password), hashing)
}

// matches compares a password with encoded, in the form in which passwords are stored. If that fails and it was typed in
// another form, it is compared as it was typed; outdated reports that this matched, so that encoded is to be replaced.
// With an empty encoded it does the same work and returns false, so that an unknown account lasts as long as a known
// one: how long depends on what was typed alone.
func (h *hasher) matches(ctx context.Context, password, encoded string) (right, outdated bool, err error) {
	if err := h.enter(ctx); err != nil {
		return false, false, err
	}
	defer h.leave()
	known := encoded != ""
	if !known {
		encoded = h.dummy
	}
	normal := typed.Password(password)
	right, err = argon2id.ComparePasswordAndHash(normal, encoded)
	if err != nil || right || normal == password {
		return right && known, false, err
	}
	right, err = argon2id.ComparePasswordAndHash(password, encoded)
	return right && known, right && known, err
}

// passwordFault returns the text to show when password is too weak for a person described
// by the given words (e-mail, names, brand), or "".
func passwordFault(t *catalogue, password string, known ...string) string {
	password = typed.Password(password)
	length := utf8.RuneCountInString(password)
	switch {
	case password == "":
		return t.PasswordMissing
	case !utf8.ValidString(password):
		return t.PasswordInvalid
	case length < minPasswordLength:
		return t.PasswordShort
	case length > maxPasswordLength:
		return t.PasswordLong
	}
	var words []string
	for _, k := range known {
		for _, word := range strings.FieldsFunc(strings.ToLower(k), func(r rune) bool { return r == '@' || r == '.' || r == ' ' }) {
			if len(word) > 2 {
				words = append(words, word)
			}
		}
	}
	head := password
	if runes := []rune(password); len(runes) > zxcvbnInput {
		head = string(runes[:zxcvbnInput])
	}
	if zxcvbn.PasswordStrength(head, words).Score < minPasswordScore {
		return t.PasswordWeak
	}
	return ""
}
