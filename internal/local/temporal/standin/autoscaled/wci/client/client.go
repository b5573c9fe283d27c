// Package client reports that no worker deployment has compute of its own, and refuses to
// allocate any.
package client

import (
	"context"

	deploymentpb "go.temporal.io/api/deployment/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/auto-scaled-workers/wci/workflow/iface"
	"go.temporal.io/server/common/namespace"
	"go.uber.org/fx"
)

// NotSupported is the refusal of every request to start workers.
const NotSupported = "auto-scaled workers are not supported: this server is built without compute providers"

// Module provides the Client to the server.
var Module = fx.Provide(func() Client { return none{} })

// Client is the server's interface to auto-scaled workers.
type Client interface {
	DescribeWorkerControllerInstance(
		ctx context.Context, namespace *namespace.Namespace, version *deploymentpb.WorkerDeploymentVersion,
	) (*iface.QueryDescribeWorkerControllerInstanceResponse, []byte, error)
	UpdateWorkerControllerInstance(
		ctx context.Context, namespace *namespace.Namespace, version *deploymentpb.WorkerDeploymentVersion,
		conflictToken []byte, identity string, upserts map[string]iface.ScalingGroupSpecUpdate, removals []string,
	) (*iface.UpdateWorkerControllerInstanceResponse, error)
	ValidateWorkerControllerInstanceSpec(
		ctx context.Context, namespace *namespace.Namespace, version *deploymentpb.WorkerDeploymentVersion,
		identity string, upserts map[string]iface.ScalingGroupSpecUpdate, removals []string,
	) error
	DeleteWorkerControllerInstance(
		ctx context.Context, namespace *namespace.Namespace, version *deploymentpb.WorkerDeploymentVersion, identity string,
	) error
}

type none struct{}

// DescribeWorkerControllerInstance answers that there is none, as for a version
// that was never given compute.
func (none) DescribeWorkerControllerInstance(
	context.Context, *namespace.Namespace, *deploymentpb.WorkerDeploymentVersion,
) (*iface.QueryDescribeWorkerControllerInstanceResponse, []byte, error) {
	return nil, nil, serviceerror.NewNotFound(NotSupported)
}

// UpdateWorkerControllerInstance refuses by an error that the server's workflow
// does not retry.
func (none) UpdateWorkerControllerInstance(
	context.Context, *namespace.Namespace, *deploymentpb.WorkerDeploymentVersion,
	[]byte, string, map[string]iface.ScalingGroupSpecUpdate, []string,
) (*iface.UpdateWorkerControllerInstanceResponse, error) {
	return nil, serviceerror.NewInvalidArgument(NotSupported)
}

// ValidateWorkerControllerInstanceSpec refuses every specification.
func (none) ValidateWorkerControllerInstanceSpec(
	context.Context, *namespace.Namespace, *deploymentpb.WorkerDeploymentVersion,
	string, map[string]iface.ScalingGroupSpecUpdate, []string,
) error {
	return serviceerror.NewInvalidArgument(NotSupported)
}

// DeleteWorkerControllerInstance has nothing to delete: the server calls it for
// each version that is deleted, also for those without compute.
func (none) DeleteWorkerControllerInstance(
	context.Context, *namespace.Namespace, *deploymentpb.WorkerDeploymentVersion, string,
) error {
	return nil
}
