package temporalx

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"go.temporal.io/api/deployment/v1"
	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"

	"github.com/tradepost/tradepost/workflows"
)

// Unversioned is the version of workers that have none.
const Unversioned = "unversioned"

// Statuses of a version.
const (
	VersionNew      = "new" // was never current
	VersionCurrent  = "current"
	VersionRamping  = "ramping"
	VersionDraining = "draining" // has open workflows that end on it
	VersionDrained  = "drained"
	VersionInactive = "inactive" // none of these
)

// Version is a release of the workers as Temporal knows it.
type Version struct {
	BuildID string `json:"version"`
	Status  string `json:"status"`
	// Percent of the workflows that a ramping version receives.
	Percent float32 `json:"percent,omitempty"`
	// Polls lists the task queues that workers of this version poll now.
	Polls []string `json:"polls"`
	// WasCurrent is when it last became current; zero, never.
	WasCurrent time.Time `json:"was_current,omitzero"`
}

// Missing lists the task queues that no worker of this version polls.
func (v *Version) Missing() []string {
	return slices.DeleteFunc(workflows.Queues(), func(queue string) bool { return slices.Contains(v.Polls, queue) })
}

// ErrNoDeployment means that no worker of the deployment ever polled.
var ErrNoDeployment = errors.New("Temporal knows no worker deployment of this name: no worker with this WORKER_DEPLOYMENT ever ran")

// Versions returns the versions of a worker deployment, the newest first, and last the
// workers without a version while those poll or are current.
func (c *Client) Versions(ctx context.Context, name string) ([]Version, error) {
	versions, _, err := c.versions(ctx, name)
	return versions, err
}

// versions has beside them a token with which a change is refused when another one came first.
func (c *Client) versions(ctx context.Context, name string) ([]Version, []byte, error) {
	described, err := c.WorkflowService().DescribeWorkerDeployment(ctx, &workflowservice.DescribeWorkerDeploymentRequest{Namespace: c.namespace, DeploymentName: name})
	var missing *serviceerror.NotFound
	if errors.As(err, &missing) {
		return nil, nil, ErrNoDeployment
	}
	if err != nil {
		return nil, nil, fmt.Errorf("ask for the versions of %s: %w", name, err)
	}
	polls, err := c.polls(ctx, name)
	if err != nil {
		return nil, nil, err
	}
	routing := described.GetWorkerDeploymentInfo().GetRoutingConfig()
	var versions []Version
	for _, summary := range described.GetWorkerDeploymentInfo().GetVersionSummaries() {
		v := Version{BuildID: summary.GetDeploymentVersion().GetBuildId(), Status: statusOf(summary.GetStatus())}
		if v.Polls, err = c.registered(ctx, name, v.BuildID, polls[v.BuildID]); err != nil {
			return nil, nil, err
		}
		if at := summary.GetLastCurrentTime(); at != nil {
			v.WasCurrent = at.AsTime()
		}
		if v.Status == VersionRamping {
			v.Percent = routing.GetRampingVersionPercentage()
		}
		versions = append(versions, v)
	}
	none := Version{BuildID: Unversioned, Status: VersionInactive, Polls: polls[Unversioned]}
	if routing.GetCurrentDeploymentVersion() == nil {
		none.Status = VersionCurrent
	}
	if len(none.Polls) > 0 || none.Status == VersionCurrent {
		versions = append(versions, none)
	}
	return versions, described.GetConflictToken(), nil
}

func statusOf(status enums.WorkerDeploymentVersionStatus) string {
	switch status {
	case enums.WORKER_DEPLOYMENT_VERSION_STATUS_CURRENT:
		return VersionCurrent
	case enums.WORKER_DEPLOYMENT_VERSION_STATUS_RAMPING:
		return VersionRamping
	case enums.WORKER_DEPLOYMENT_VERSION_STATUS_DRAINING:
		return VersionDraining
	case enums.WORKER_DEPLOYMENT_VERSION_STATUS_DRAINED:
		return VersionDrained
	case enums.WORKER_DEPLOYMENT_VERSION_STATUS_INACTIVE, enums.WORKER_DEPLOYMENT_VERSION_STATUS_CREATED:
		return VersionNew
	default:
		return VersionInactive
	}
}

// polls lists the task queues that are polled now, by build id.
func (c *Client) polls(ctx context.Context, name string) (map[string][]string, error) {
	polls := map[string][]string{}
	for _, queue := range workflows.Queues() {
		answer, err := c.DescribeTaskQueue(ctx, queue, enums.TASK_QUEUE_TYPE_ACTIVITY)
		if err != nil {
			return nil, fmt.Errorf("ask which workers poll %s: %w", queue, err)
		}
		for _, poller := range answer.GetPollers() {
			version := versionIn(poller.GetDeploymentOptions(), name)
			if time.Since(poller.GetLastAccessTime().AsTime()) < pollerGone && version != "" && !slices.Contains(polls[version], queue) {
				polls[version] = append(polls[version], queue)
			}
		}
	}
	return polls, nil
}

// registered leaves of a version's task queues those that the deployment has: the server notes a
// new worker's a moment after its first poll, and refuses a version without.
func (c *Client) registered(ctx context.Context, name, version string, polled []string) ([]string, error) {
	if len(polled) == 0 {
		return nil, nil
	}
	described, err := c.WorkerDeploymentClient().GetHandle(name).DescribeVersion(ctx, client.WorkerDeploymentDescribeVersionOptions{BuildID: version})
	var missing *serviceerror.NotFound
	if errors.As(err, &missing) { // it is being made
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("ask for version %s: %w", version, err)
	}
	return slices.DeleteFunc(polled, func(queue string) bool {
		return !slices.Contains(described.Info.TaskQueuesInfos, client.WorkerDeploymentTaskQueueInfo{Name: queue, Type: client.TaskQueueTypeActivity})
	}), nil
}

// versionIn is a poller's version in a deployment: none where it is of another.
func versionIn(options *deployment.WorkerDeploymentOptions, name string) string {
	if options.GetWorkerVersioningMode() != enums.WORKER_VERSIONING_MODE_VERSIONED {
		return Unversioned
	}
	if options.GetDeploymentName() != name {
		return ""
	}
	return options.GetBuildId()
}

// SetCurrent has every workflow begin on a version, and those that follow the current one
// go on there. A version without a worker on each task queue is refused.
func (c *Client) SetCurrent(ctx context.Context, name, version string) error {
	token, err := c.ready(ctx, name, version)
	if err != nil {
		return err
	}
	_, err = c.WorkerDeploymentClient().GetHandle(name).SetCurrentVersion(ctx, client.WorkerDeploymentSetCurrentVersionOptions{BuildID: buildID(version), ConflictToken: token})
	return err
}

// Ramp gives so many percent of the workflows to a version; 0 ends it. A version without a worker on
// each task queue is refused.
func (c *Client) Ramp(ctx context.Context, name, version string, percent float32) error {
	token, err := c.ready(ctx, name, version)
	if err != nil {
		return err
	}
	if percent == 0 {
		version = Unversioned
	}
	_, err = c.WorkerDeploymentClient().GetHandle(name).SetRampingVersion(ctx, client.WorkerDeploymentSetRampingVersionOptions{BuildID: buildID(version), Percentage: percent, ConflictToken: token})
	return err
}

// Retire removes a version that is drained and has no worker.
func (c *Client) Retire(ctx context.Context, name, version string) error {
	_, err := c.WorkerDeploymentClient().GetHandle(name).DeleteVersion(ctx, client.WorkerDeploymentDeleteVersionOptions{BuildID: version})
	return err
}

// buildID is a version's name for the server, where workers without one have an empty name.
func buildID(version string) string {
	if version == Unversioned {
		return ""
	}
	return version
}

// ready refuses a version that cannot execute everything, and returns a token with which the
// change is refused when another one came first.
func (c *Client) ready(ctx context.Context, name, version string) (token []byte, err error) {
	versions, token, err := c.versions(ctx, name)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(versions, func(v Version) bool { return v.BuildID == version })
	if at < 0 {
		return nil, fmt.Errorf("no worker of version %s ever polled", version)
	}
	if missing := versions[at].Missing(); len(missing) > 0 {
		return nil, fmt.Errorf("no worker of version %s polls %s", version, strings.Join(missing, ", "))
	}
	return token, nil
}

// Previous is the version that was current before.
func Previous(versions []Version) (string, bool) {
	before := slices.DeleteFunc(slices.Clone(versions), func(v Version) bool { return v.Status == VersionCurrent || v.WasCurrent.IsZero() })
	if len(before) == 0 {
		return "", false
	}
	return slices.MaxFunc(before, func(a, b Version) int { return a.WasCurrent.Compare(b.WasCurrent) }).BuildID, true
}
