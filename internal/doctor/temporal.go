package doctor

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"

	"github.com/tradepost/tradepost/internal/temporalx"
	"github.com/tradepost/tradepost/workflows"
)

func (e *examination) temporalChecks() []Check {
	here := e.Temporal != nil
	return []Check{
		{"temporal.namespace", "the namespace at TEMPORAL_ADDRESS, and how long it keeps histories", e.needs(here, "TEMPORAL_ADDRESS", e.temporal(namespaceOf))},
		{"temporal.attributes", "the search attributes of workflows", e.needs(here, "TEMPORAL_ADDRESS", e.temporal(attributesOf))},
		{"temporal.workers", "a worker polls each task queue", e.needs(here, "TEMPORAL_ADDRESS", e.temporal(workersOf))},
		{"temporal.versions", "the worker deployment WORKER_DEPLOYMENT has a current version, and nothing runs that is drained", e.needs(here && e.Versions != nil, "WORKER_DEPLOYMENT", e.temporal(e.versionsOf))},
	}
}

// temporal makes a check that has a connection.
func (e *examination) temporal(check func(context.Context, *temporalx.Client, string) ([]Finding, error)) func(context.Context) []Finding {
	return func(ctx context.Context) []Finding {
		client, err := temporalx.Lazy(e.Temporal, e.log, nil)
		if err != nil {
			return []Finding{wrong("temporal_unreachable", "Correct the TEMPORAL_ settings.",
				"%v", err).because("temporal")}
		}
		defer client.Close()
		found, err := check(ctx, client, e.Temporal.Namespace)
		var missing *serviceerror.NamespaceNotFound
		switch {
		case errors.As(err, &missing):
			return []Finding{wrong("temporal_namespace_missing", "Make it as deploy/temporal/namespace.sh does (the service temporal-namespace), or correct TEMPORAL_NAMESPACE.",
				"Temporal has no namespace %q", e.Temporal.Namespace).because("temporal")}
		case distrusted(err):
			return []Finding{wrong("temporal_untrusted", "Name in TEMPORAL_TLS_CA the file of the authority that signed it, and in "+
				"TEMPORAL_TLS_SERVER_NAME its name where that is not the address's; if both are so, this machine's clock is wrong.",
				"the certificate of Temporal is not trusted: %v", err).because("temporal")}
		case err != nil:
			return []Finding{wrong("temporal_unreachable",
				"Look whether Temporal runs, at TEMPORAL_ADDRESS, and at its certificates or API key.",
				"Temporal does not answer: %v", err).because("temporal")}
		}
		return found
	}
}

// leastKept is how long a namespace has to keep histories: until the sweep has
// stored them.
const leastKept = 72 * time.Hour

func namespaceOf(ctx context.Context, c *temporalx.Client, name string) ([]Finding, error) {
	answer, err := c.WorkflowService().DescribeNamespace(ctx, &workflowservice.DescribeNamespaceRequest{Namespace: name})
	if err != nil {
		return nil, err
	}
	if kept := answer.GetConfig().GetWorkflowExecutionRetentionTtl().AsDuration(); kept < leastKept {
		return []Finding{doubtful("temporal_retention_short", "Set its retention to 30 days (temporal operator namespace update --retention 30d).", "the namespace %s keeps histories for %s only", name, kept)}, nil
	}
	return nil, nil
}

func attributesOf(ctx context.Context, c *temporalx.Client, name string) ([]Finding, error) {
	answer, err := c.OperatorService().ListSearchAttributes(ctx, &operatorservice.ListSearchAttributesRequest{Namespace: name})
	if err != nil {
		return nil, err
	}
	var missing []string
	for _, wanted := range workflows.Attributes {
		if _, there := answer.GetCustomAttributes()[wanted.GetName()]; !there {
			missing = append(missing, wanted.GetName())
		}
	}
	if len(missing) > 0 {
		return []Finding{wrong("temporal_attribute_missing", "Make it as a keyword, as deploy/temporal/namespace.sh does (the service temporal-namespace).",
			"the namespace %s lacks the search attribute %s: orders do not start", name, strings.Join(missing, ", "))}, nil
	}
	return nil, nil
}

func workersOf(ctx context.Context, c *temporalx.Client, _ string) ([]Finding, error) {
	queues := workflows.Queues()
	polled, err := c.Pollers(ctx, queues)
	if err != nil {
		return nil, err
	}
	absent := slices.DeleteFunc(queues, func(queue string) bool { return polled[queue] })
	if len(absent) > 0 {
		return []Finding{doubtful("temporal_no_worker", "Start them (docker compose up -d), and look at their logs.", "no worker polls %s: orders stand still", strings.Join(absent, ", "))}, nil
	}
	return nil, nil
}

// versionsOf finds a deployment whose workers receive nothing, and versions whose workers can be stopped.
func (e *examination) versionsOf(ctx context.Context, c *temporalx.Client, _ string) ([]Finding, error) {
	versions, err := c.Versions(ctx, e.Versions.Name)
	if errors.Is(err, temporalx.ErrNoDeployment) {
		return []Finding{doubtful("temporal_no_deployment", "Start the workers with this WORKER_DEPLOYMENT, or correct it.", "%v", err)}, nil
	}
	if err != nil {
		return nil, err
	}
	var found []Finding
	for _, v := range versions {
		if missing := v.Missing(); v.Status == temporalx.VersionCurrent && len(missing) > 0 {
			found = append(found, wrong("temporal_no_current", "Make the version that runs the current one (api workers current VERSION), or start the workers of "+v.BuildID+".",
				"the current version of the workers is %s, which does not poll %s: orders stand still", v.BuildID, strings.Join(missing, ", ")))
		}
		if v.Status == temporalx.VersionDrained && len(v.Polls) > 0 {
			found = append(found, doubtful("temporal_drained_polls", "Stop its workers, and remove it (api workers retire "+v.BuildID+").", "version %s of the workers is drained and still runs", v.BuildID))
		}
	}
	return found, nil
}
