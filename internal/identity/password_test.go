package identity

import (
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/internal/local/asvs"
)

// Passwords of ten characters and more that every list of breached ones begins with are
// refused; a long one of unrelated words is not, with or without symbols (ASVS 6.2.4,
// 6.2.5, and as far as it is held 6.2.12).
func TestCommonPasswordsAreRefused(t *testing.T) {
	for _, common := range []string{"1234567890", "0123456789", "1111111111", "qwertyuiop", "1q2w3e4r5t", "1qaz2wsx3edc", "password12", "password123", "Password123!",
		"P@ssw0rd123", "passw0rd2024", "iloveyou123", "princess123", "football123", "superman123", "letmein1234", "welcome123", "Welcome2024!", "sunshine123",
		"dragon12345", "monkey12345", "abcdefghij", "abc123abc123", "asdfghjkl1", "zxcvbnm123", "qazwsxedcr", "aaaaaaaaaa", "michael123", "jennifer12",
		"basketball", "liverpool1", "trustno1234", "whatever123", "master12345", "starwars123", "admin12345", "changeme123", "qwerty12345", "tradepost1"} {
		require.NotEmpty(t, passwordFault(&english, common, "dana@example.com", "Dana", "Lin", "Tradepost"), common+" "+asvs.Claim(t, "6.2.4")+" "+asvs.Claim(t, "6.2.12"))
	}
	for _, good := range []string{"violet-harbour-lantern-41", "violet harbour lantern", "correcto caballo batería grapa", strings.Repeat("é violet harbour ", 7)} {
		require.Empty(t, passwordFault(&english, good, "dana@example.com", "Dana", "Lin", "Tradepost"), good+" "+asvs.Claim(t, "6.2.5", "6.2.9"))
	}
	require.NotEmpty(t, passwordFault(&english, "vQz7#mK4!", "dana@example.com", "Dana", "Lin", "Tradepost"), asvs.Claim(t, "6.2.1"))
}

// Each field of a password hides what is typed, declares to password managers which
// password it is, and allows pasting (ASVS 6.2.6, 6.2.7).
func TestFieldsOfPasswordsHideAndHelp(t *testing.T) {
	s := &settings{Config: Config{Brand: "Tradepost", PublicURL: "https://site.example"}}
	v, err := newViews(s, &guard{settings: s})
	require.NoError(t, err)
	kinds := map[string]string{"current_password": "current-password", "password": "current-password", "new_password": "new-password"}
	field := regexp.MustCompile(`(?s)<input id="([a-z_]*password)".*?>`)
	for page, count := range map[string]int{"signin": 1, "signup": 1, "reset": 1, "password": 2, "verify": 1} {
		w, r := httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil)
		v.show(w, r, 200, page, view{AsksPassword: true, Signed: &account{PasswordChangedAt: time.Now()}})
		fields := field.FindAllStringSubmatch(w.Body.String(), -1)
		require.Len(t, fields, count, page)
		for _, found := range fields {
			require.Contains(t, found[0], `type="password"`, asvs.Claim(t, "6.2.6"))
			require.Contains(t, found[0], `autocomplete="`+kinds[found[1]]+`"`, page)
		}
		require.NotRegexp(t, `onpaste|oncopy|autocomplete="off"`, w.Body.String(), asvs.Claim(t, "6.2.7"))
	}
	script, err := viewFiles.ReadFile("assets/password.js")
	require.NoError(t, err)
	require.NotContains(t, string(script), "paste")
}
