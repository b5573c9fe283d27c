package worker

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/tradepost/tradepost/internal/config"
	"github.com/tradepost/tradepost/internal/local/testbed"
	"github.com/tradepost/tradepost/internal/temporalx"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/workflows"
)

const deploymentName = "tradepost"

// ownNamespace is a namespace whose task queues no other test polls.
func ownNamespace(t *testing.T) string {
	t.Helper()
	address, name := testbed.Temporal(t), fmt.Sprintf("versions-%d", time.Now().UnixNano())
	namespaces, err := client.NewNamespaceClient(client.Options{HostPort: address})
	require.NoError(t, err)
	defer namespaces.Close()
	require.NoError(t, namespaces.Register(t.Context(), &workflowservice.RegisterNamespaceRequest{Namespace: name, WorkflowExecutionRetentionPeriod: durationpb.New(24 * time.Hour)}))
	dialled, err := client.DialContext(t.Context(), client.Options{HostPort: address, Namespace: name})
	require.NoError(t, err)
	defer dialled.Close()
	attributes := map[string]enums.IndexedValueType{}
	for _, key := range workflows.Attributes {
		attributes[key.GetName()] = enums.INDEXED_VALUE_TYPE_KEYWORD
	}
	require.Eventually(t, func() bool {
		_, err := dialled.OperatorService().AddSearchAttributes(t.Context(), &operatorservice.AddSearchAttributesRequest{Namespace: name, SearchAttributes: attributes})
		return err == nil
	}, time.Minute, 50*time.Millisecond)
	require.Eventually(t, func() bool { // the server reads them a little later than it stores them
		_, err := dialled.CountWorkflow(t.Context(), &workflowservice.CountWorkflowExecutionsRequest{Namespace: name, Query: workflows.AssetAttribute.GetName() + " = 'BTC'"})
		return err == nil
	}, time.Minute, 50*time.Millisecond)
	return name
}

func version(name string) config.WorkerVersion {
	return config.WorkerVersion{Deployment: config.Deployment{Name: deploymentName}, Build: name}
}

// versionIs waits for a version to have a status.
func (h *testCluster) versionIs(name, status string) {
	h.Helper()
	h.until("version "+name+" to be "+status, func() bool {
		v, ok := h.version(name)
		return ok && v.Status == status
	})
}

func (h *testCluster) version(name string) (temporalx.Version, bool) {
	h.Helper()
	versions, err := h.client.Versions(h.Context(), deploymentName)
	if errors.Is(err, temporalx.ErrNoDeployment) {
		return temporalx.Version{}, false
	}
	require.NoError(h, err)
	at := slices.IndexFunc(versions, func(v temporalx.Version) bool { return v.BuildID == name })
	if at < 0 {
		return temporalx.Version{}, false
	}
	return versions[at], true
}

// polls waits until a version's workers poll every task queue.
func (h *testCluster) polls(name string) {
	h.Helper()
	h.until("workers of "+name, func() bool {
		v, ok := h.version(name)
		return ok && len(v.Missing()) == 0
	})
}

// switchTo makes a version the current one, and waits until every task queue goes by it.
func (h *testCluster) switchTo(name string) {
	h.Helper()
	require.NoError(h, h.client.SetCurrent(h.Context(), deploymentName, name))
	h.until("the task queues to go by "+name, func() bool {
		return !slices.ContainsFunc(workflows.Queues(), func(queue string) bool {
			answer, err := h.client.DescribeTaskQueue(h.Context(), queue, enums.TASK_QUEUE_TYPE_ACTIVITY)
			require.NoError(h, err)
			return answer.GetVersioningInfo().GetCurrentDeploymentVersion().GetBuildId() != name
		})
	})
}

// ranOn lists the versions that executed a workflow's tasks, one after the other; workers
// without a version are "".
func (h *testCluster) ranOn(workflowID string) []string {
	h.Helper()
	var versions []string
	events := h.client.GetWorkflowHistory(h.Context(), workflowID, "", false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for events.HasNext() {
		event, err := events.Next()
		require.NoError(h, err)
		if done := event.GetWorkflowTaskCompletedEventAttributes(); done != nil {
			versions = append(versions, done.GetDeploymentVersion().GetBuildId())
		}
	}
	return slices.Compact(versions)
}

// An order follows the current version, from workers without one to the newest; a comparison of
// holdings ends on the version that it began on, which is drained afterwards.
func TestWorkflowsFollowVersionsOrStayOnTheirs(t *testing.T) {
	timing := quick
	timing.CallTimeout = 5 * time.Minute
	h := openIn(t, ownNamespace(t), config.WorkerVersion{}, ledger.ProviderBitGo, timing, money.Offer{})
	log := slog.New(slog.DiscardHandler)
	o := h.buy("card")
	page := h.page(o.ID)

	one := h.startWorkers(version("v1"), log)
	h.polls("v1")
	h.switchTo("v1")
	for _, p := range h.workers {
		p.worker.Stop()
	}
	h.pay(page, goodCard)
	h.reaches(o.ID, "authorised", func(_ *order.Order, p *order.Payment) bool { return p.AuthorisedAt != nil })
	h.must(o.ID, workflows.Process, nil)
	h.status(o.ID, order.StatusPaymentApproved)

	one[workflows.PaymentsQueue].worker.Stop()
	reading, err := h.client.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{ID: "holdings", TaskQueue: workflows.CoreQueue}, workflows.TreasuryType)
	require.NoError(t, err)
	h.until("a beginning on v1", func() bool { return len(h.ranOn("holdings")) > 0 })

	h.startWorkers(version("v2"), log)
	h.polls("v2")
	h.switchTo("v2")
	h.must(o.ID, workflows.Fulfill, nil)
	require.Equal(t, order.StatusSent, h.closed(o.ID).Status)
	require.Equal(t, []string{"", "v1", "v2"}, h.ranOn(workflows.OrderID(o.ID)))
	h.versionIs("v1", temporalx.VersionDraining)
	require.ErrorContains(t, h.client.Retire(t.Context(), deploymentName, "v1"), "draining")

	h.startWorkers(version("v1"), log, workflows.PaymentsQueue)
	require.NoError(t, reading.Get(t.Context(), nil))
	require.Equal(t, []string{"v1"}, h.ranOn("holdings"))
	h.versionIs("v1", temporalx.VersionDrained)
	require.Equal(t, map[string]int{"stripe/authorise": 1, "stripe/capture": 1, "kraken/fill": 1, "bitgo/send": 1}, h.effects())
	h.books()
}

// A version becomes current, ramps and is rolled back only with a worker on every task queue.
func TestAVersionIsRolledBack(t *testing.T) {
	h := openIn(t, ownNamespace(t), version("v1"), ledger.ProviderBitGo, quick, money.Offer{})
	log := slog.New(slog.DiscardHandler)
	h.polls("v1")
	v, _ := h.version("v1")
	require.Equal(t, temporalx.VersionNew, v.Status)
	require.ErrorContains(t, h.client.SetCurrent(t.Context(), deploymentName, temporalx.Unversioned), "no worker of version unversioned polls core, payments, exchange, custody")
	h.switchTo("v1")

	h.startWorkers(version("v2"), log, workflows.CoreQueue, workflows.CustodyQueue)
	h.until("a part of v2", func() bool { v, _ := h.version("v2"); return len(v.Polls) == 2 })
	require.ErrorContains(t, h.client.SetCurrent(t.Context(), deploymentName, "v2"), "no worker of version v2 polls payments, exchange")
	require.ErrorContains(t, h.client.Ramp(t.Context(), deploymentName, "v2", 10), "no worker of version v2 polls payments, exchange")
	require.ErrorContains(t, h.client.SetCurrent(t.Context(), deploymentName, "v3"), "no worker of version v3")

	h.startWorkers(version("v2"), log, workflows.PaymentsQueue, workflows.ExchangeQueue)
	h.polls("v2")
	require.NoError(t, h.client.Ramp(t.Context(), deploymentName, "v2", 10))
	h.versionIs("v2", temporalx.VersionRamping)
	require.NoError(t, h.client.Ramp(t.Context(), deploymentName, "v2", 0))
	h.switchTo("v2")
	o := h.paid()

	versions, err := h.client.Versions(t.Context(), deploymentName)
	require.NoError(t, err)
	before, ok := temporalx.Previous(versions)
	require.True(t, ok)
	require.Equal(t, "v1", before)
	h.switchTo(before)
	h.must(o.ID, workflows.Fulfill, nil)
	h.closed(o.ID)
	require.Equal(t, []string{"v2", "v1"}, h.ranOn(workflows.OrderID(o.ID)))
	h.versionIs("v2", temporalx.VersionDrained)
	require.ErrorContains(t, h.client.Retire(t.Context(), deploymentName, "v2"), "pollers")
	h.books()
}
