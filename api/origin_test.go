package api

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/internal/local/asvs"
)

// unsafeOperations are all but those that only read and those that are signed.
func unsafeOperations(t *testing.T) []operation {
	t.Helper()
	var all []operation
	for _, op := range operations(t) {
		if op.method != http.MethodGet && !strings.HasPrefix(op.path, "/api/webhooks/") && op.id != "backchannelLogout" {
			all = append(all, op)
		}
	}
	require.Greater(t, len(all), 50)
	return all
}

// Every unsafe call but what is signed: from another site, a sibling of ours, an
// origin that is none, or no origin at all, it is refused and nothing is changed.
func TestBar14EveryUnsafeCallComesFromOurOwnSite(t *testing.T) {
	h := open(t, unscaled)
	c, claim := h.callers(), asvs.Claim(t, "3.5.1", "3.5.2", "3.5.3")
	before := counted(h)
	for _, op := range unsafeOperations(t) {
		path := strings.NewReplacer("{id}", c.id).Replace(op.path)
		for name, headers := range map[string][]string{
			"another site": {"Sec-Fetch-Site", "cross-site"}, "a sibling": {"Sec-Fetch-Site", "same-site"}, "no page": {"Sec-Fetch-Site", "none"},
			"null": {"Origin", "null"}, "another origin": {"Origin", "https://evil.example"}, "another port": {"Origin", c.staff.origin + "0"},
			"its name in front": {"Origin", c.staff.origin + ".evil.example"}, "no origin": {"Origin", ""},
		} {
			a := c.staff.unsafe(op.method, path, "{}", headers...)
			require.Equal(t, "403 cross_origin", a.said(), "%s: %s: %s: %s", op.id, name, a.body, claim)
		}
	}
	require.Equal(t, before, counted(h))
}

// One's own origin, or the browser's Sec-Fetch-Site, admits every unsafe call without a
// token; those of the second factor alone require it, and the contract marks them.
func TestBar14TheTokenIsForTheSecondFactor(t *testing.T) {
	h := open(t, unscaled)
	c := h.callers()
	asking := tokenRequired(t)
	require.Len(t, asking, 7)
	for _, op := range unsafeOperations(t) {
		if op.id == "confirmLogout" {
			continue
		}
		path := strings.NewReplacer("{id}", c.id).Replace(op.path)
		require.Equal(t, strings.HasPrefix(path, "/api/2fa/"), asking[op.id], op.id)
		for name, headers := range map[string][]string{
			"no token": {rest.CSRFHeader, ""}, "a wrong token": {rest.CSRFHeader, "x"}, "as a browser says it": {rest.CSRFHeader, "", "Origin", "", "Sec-Fetch-Site", "same-origin"},
		} {
			said := c.staff.unsafe(op.method, path, "[", headers...).said()
			if asking[op.id] {
				require.Equal(t, "403 csrf_token", said, "%s: %s", op.id, name)
			} else {
				require.NotContains(t, []string{"403 csrf_token", "403 cross_origin"}, said, "%s: %s", op.id, name)
			}
		}
	}
	c.staff.post("/api/logout", "", "Content-Type", "application/x-www-form-urlencoded").is(http.StatusSeeOther)
}

// What was begun on one person's page does nothing in another's session.
func TestBar14APageIsItsOwnPersons(t *testing.T) {
	h := open(t, unscaled)
	c := h.callers()
	before := counted(h)
	for _, op := range unsafeOperations(t) {
		path := strings.NewReplacer("{id}", c.id).Replace(op.path)
		a := c.staff.unsafe(op.method, path, "{}", rest.OwnerHeader, c.owner.userID)
		require.Equal(t, "403 other_person", a.said(), op.id)
	}
	require.Equal(t, before, counted(h))
	c.owner.post("/api/orders", newOrder, rest.OwnerHeader, c.owner.userID).is(http.StatusCreated)
}

// said is an answer's status and code in one.
func (a *answer) said() string {
	var problem struct {
		Code string `json:"code"`
	}
	_ = json.Unmarshal(a.body, &problem) // what is no problem has no code
	return strings.TrimSpace(strconv.Itoa(a.status) + " " + problem.Code)
}

// tokenRequired are the operations whose x-csrf-token the contract requires.
func tokenRequired(t *testing.T) map[string]bool {
	t.Helper()
	raw, err := OpenAPI()
	require.NoError(t, err)
	var document struct {
		Paths map[string]map[string]struct {
			OperationID string
			Parameters  []struct {
				Name        string
				Required    bool
				Description string
			}
		}
	}
	require.NoError(t, json.Unmarshal(raw, &document))
	asking := map[string]bool{}
	for _, methods := range document.Paths {
		for _, op := range methods {
			for _, p := range op.Parameters {
				if p.Name == rest.CSRFHeader {
					require.Contains(t, p.Description, "changes")
					asking[op.OperationID] = p.Required
				}
			}
		}
	}
	return asking
}
