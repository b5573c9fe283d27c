package e2e

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"
)

// The proof packs of a good order and of one that failed and was refunded: books
// that pass every check, histories that replay on the build that runs, and each
// call with our identity and the provider's reference.
func TestProofPacksOfRealOrders(t *testing.T) {
	t.Parallel()
	customer, staff := verified(t), admin(t)
	sent := paid(t, customer, staff, some(t, "BTC", "0.003"))
	staff.decide(sent.ID, "fulfill", "")
	customer.reaches(sent.ID, "sent")
	staff.proves(sent.ID, []string{"ord:" + sent.ID + ":checkout:", "ord:" + sent.ID + ":capture:1", `"kraken"`, "ord-" + sent.ID + "-send-1"})

	what := some(t, "BTC", "0.003")
	refunded := paid(t, customer, staff, what)
	arm(t, fault{Provider: "kraken", Operation: "AddOrder", Match: what.amount, Code: "decline:EOrder:Insufficient funds", Count: 1})
	staff.decide(refunded.ID, "fulfill", "")
	customer.reaches(refunded.ID, "failed")
	staff.decide(refunded.ID, "refund", "the exchange would not sell")
	customer.ends(refunded.ID, "refunded")
	staff.proves(refunded.ID, []string{"ord:" + refunded.ID + ":refund:1", "succeeded"})
}

// proves takes an order's proof pack, while its workflow runs or after it.
func (v *visitor) proves(id string, calls []string) {
	v.t.Helper()
	answer := v.open(stack.SiteURL() + "/api/admin/orders/" + id + "/proof")
	require.Equal(v.t, http.StatusOK, answer.status, "%s", answer.body)
	archive, err := zip.NewReader(bytes.NewReader(answer.body), int64(len(answer.body)))
	require.NoError(v.t, err)
	files, histories := map[string]string{}, 0
	for _, f := range archive.File {
		opened, err := f.Open()
		require.NoError(v.t, err)
		text, err := io.ReadAll(opened)
		require.NoError(v.t, err)
		files[f.Name] = string(text)
		if strings.HasPrefix(f.Name, "history/") {
			histories++
			_, err := client.HistoryFromJSON(bytes.NewReader(text), client.HistoryJSONOptions{})
			require.NoError(v.t, err)
		}
	}
	require.Positive(v.t, histories)
	var replay struct{ Verdict string }
	require.NoError(v.t, json.Unmarshal([]byte(files["replay.json"]), &replay))
	require.Equal(v.t, "replays", replay.Verdict, files["replay.json"])
	var books struct {
		Checks []struct {
			What string
			OK   bool
		}
	}
	require.NoError(v.t, json.Unmarshal([]byte(files["postings.json"]), &books))
	require.Len(v.t, books.Checks, 4)
	for _, check := range books.Checks {
		require.True(v.t, check.OK, check.What)
	}
	for _, call := range calls {
		require.Contains(v.t, files["calls.json"], call)
	}
}
