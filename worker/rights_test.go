package worker

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/temporalproto"

	"github.com/tradepost/tradepost/internal/secret"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/privacy"
	"github.com/tradepost/tradepost/workflows"
)

// swept starts nothing: the sweep finds the case, as after a crash between
// the row and the start.
func (h *testCluster) swept(caseKind casework.Kind, id string, done func() bool) {
	h.Helper()
	h.until("the sweep to carry "+string(caseKind)+"/"+id, func() bool {
		h.sweep()
		return done()
	})
}

// caseEnded waits for the workflow's end and gives its history as text.
func (h *testCluster) caseEnded(caseKind casework.Kind, id string) string {
	h.Helper()
	name := workflows.CaseID(caseKind, id)
	require.NoError(h, h.client.GetWorkflow(h.Context(), name, "").Get(h.Context(), nil))
	var all bytes.Buffer
	for reader := h.client.GetWorkflowHistory(h.Context(), name, "", true, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT); reader.HasNext(); {
		event, err := reader.Next()
		require.NoError(h, err)
		raw, err := temporalproto.CustomJSONMarshalOptions{}.Marshal(event)
		require.NoError(h, err)
		all.Write(raw)
	}
	return all.String()
}

// A copy of a customer's data is made by the first process that finds the row, is stored
// sealed apart from its key, is announced by mail, and is erased when it expires.
func TestDataExportIsMadeKeptAndErased(t *testing.T) {
	h := open(t)
	h.exec(`UPDATE users SET first_name = 'CANARYNAME' WHERE id = $1`, h.customer)
	h.write("domestic_wire")
	export, err := privacy.AskForData(t.Context(), h.db, h.customer, "random-name-of-the-file", false)
	require.NoError(t, err)
	h.swept(privacy.KindDataExport, export.ID, func() bool {
		export, err = privacy.Export(t.Context(), h.db, export.ID)
		require.NoError(t, err)
		return export.Status == privacy.ExportReady
	})
	sealed, err := h.files.ReadAll(t.Context(), export.FileKey)
	require.NoError(t, err)
	require.NotContains(t, string(sealed), "PK\x03\x04", "the file lies sealed")
	keys, err := secret.NewKeys(export.SealKey)
	require.NoError(t, err)
	plain, err := keys.Open(export.Place(), sealed)
	require.NoError(t, err)
	archive, err := zip.NewReader(bytes.NewReader(plain), int64(len(plain)))
	require.NoError(t, err)
	profile, err := archive.Open("profile.json")
	require.NoError(t, err)
	text, err := io.ReadAll(profile)
	require.NoError(t, err)
	require.Contains(t, string(text), "CANARYNAME")
	_, err = archive.Open("orders.json")
	require.NoError(t, err)

	h.deliverMails()
	mails := h.mails("customer@")
	ready := mails[len(mails)-1]
	require.Contains(t, ready.Subject, "ready to download")
	require.Contains(t, ready.Links, "http://localhost/open?to=/settings/privacy")
	require.NotContains(t, ready.Text, export.FileKey)

	h.advance(privacy.ExportLife + time.Minute)
	h.swept(privacy.KindDataExport, export.ID, func() bool {
		export, err = privacy.Export(t.Context(), h.db, export.ID)
		require.NoError(t, err)
		return export.Status == privacy.ExportExpired
	})
	require.Nil(t, export.SealKey)
	kept, err := h.files.Exists(t.Context(), export.FileKey)
	require.NoError(t, err)
	require.False(t, kept)
	history := h.caseEnded(privacy.KindDataExport, export.ID)
	for _, secret := range []string{"CANARYNAME", export.FileKey, "customer@example.com"} {
		require.NotContains(t, history, secret)
	}
	h.record(workflows.CaseID(privacy.KindDataExport, export.ID), "data-export")
}

// An account is closed after its owner's waiting time, by the first process that finds the
// row; an owner who cancelled keeps it.
func TestAccountIsClosedAfterItsPauseUnlessKept(t *testing.T) {
	h := open(t)
	first, err := privacy.AskToClose(t.Context(), h.db, h.customer)
	require.NoError(t, err)
	require.NoError(t, h.client.StartCase(t.Context(), privacy.KindClosure, first.ID))
	_, err = privacy.KeepAccount(t.Context(), h.db, h.customer)
	require.NoError(t, err)
	second, err := privacy.AskToClose(t.Context(), h.db, h.customer)
	require.NoError(t, err)
	require.NoError(t, h.client.StartCase(t.Context(), privacy.KindClosure, second.ID))
	h.advance(privacy.ClosurePause + time.Minute)
	h.swept(privacy.KindClosure, second.ID, func() bool {
		last, err := privacy.LastClosure(t.Context(), h.db, h.customer)
		require.NoError(t, err)
		return last.Status == privacy.ClosureDone
	})
	require.Equal(t, []string{"test customer", "test customer"}, h.issuer.seen(), "erased where it was made, tried until it worked")
	history := h.caseEnded(privacy.KindClosure, second.ID)
	require.NotContains(t, history, "customer@example.com")
	h.deliverMails()
	mails := h.mails("customer@")
	closed := mails[len(mails)-1]
	require.Contains(t, closed.Subject, "Your account is closed")
	require.Contains(t, closed.Links, "http://localhost/open?to=/privacy")
	h.record(workflows.CaseID(privacy.KindClosure, second.ID), "account-closure")
}

// issuer is an identity provider that is away for one call.
type issuer struct {
	mu    sync.Mutex
	asked []string
}

func (i *issuer) Forget(_ context.Context, name, subject string) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.asked = append(i.asked, name+" "+subject)
	if len(i.asked) == 1 {
		return errors.New("connection refused")
	}
	return nil
}

func (i *issuer) seen() []string {
	i.mu.Lock()
	defer i.mu.Unlock()
	return slices.Clone(i.asked)
}
