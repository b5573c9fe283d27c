package main

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/storage"
	computepb "go.temporal.io/api/compute/v1"
	deploymentpb "go.temporal.io/api/deployment/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	wci "go.temporal.io/auto-scaled-workers/wci/client"
	"go.temporal.io/sdk/client"
	"go.temporal.io/server/common/archiver/gcloud/connector"
	"go.temporal.io/server/common/config"
)

// A request to start workers is refused; a deployment without compute is described and
// deleted as ever.
func TestAutoScaledWorkersAreRefused(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	o := options{address: loopback, port: port(t), services: services(t), file: filepath.Join(t.TempDir(), "temporal.db"), namespace: "shop", logLevel: "error"}
	s, err := startServer(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	defer s.stop()
	c, err := client.DialContext(ctx, client.Options{HostPort: s.address, Namespace: "shop", Logger: silent{}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	version := &deploymentpb.WorkerDeploymentVersion{DeploymentName: "till", BuildId: "1"}
	_, err = c.WorkflowService().ValidateWorkerDeploymentVersionComputeConfig(ctx, &workflowservice.ValidateWorkerDeploymentVersionComputeConfigRequest{
		Namespace: "shop", DeploymentVersion: version,
		ComputeConfigScalingGroups: map[string]*computepb.ComputeConfigScalingGroupUpdate{
			"all": {ScalingGroup: &computepb.ComputeConfigScalingGroup{Provider: &computepb.ComputeProvider{Type: "aws-lambda"}}},
		},
	})
	var refused *serviceerror.InvalidArgument
	if !errors.As(err, &refused) || !strings.Contains(err.Error(), wci.NotSupported) {
		t.Fatalf("got %v, want the refusal %q", err, wci.NotSupported)
	}

	request := &workflowservice.CreateWorkerDeploymentRequest{Namespace: "shop", DeploymentName: "till", RequestId: "1"}
	if _, err := c.WorkflowService().CreateWorkerDeployment(ctx, request); err != nil {
		t.Fatal(err)
	}
	_, err = c.WorkflowService().CreateWorkerDeploymentVersion(ctx, &workflowservice.CreateWorkerDeploymentVersionRequest{
		Namespace: "shop", DeploymentVersion: version, RequestId: "2",
	})
	if err != nil {
		t.Fatal(err)
	}
	described, err := c.WorkflowService().DescribeWorkerDeploymentVersion(ctx, &workflowservice.DescribeWorkerDeploymentVersionRequest{Namespace: "shop", DeploymentVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	if groups := described.GetWorkerDeploymentVersionInfo().GetComputeConfig().GetScalingGroups(); len(groups) != 0 {
		t.Fatalf("a version without compute has %v", groups)
	}
	if _, err := c.WorkflowService().DeleteWorkerDeploymentVersion(ctx, &workflowservice.DeleteWorkerDeploymentVersionRequest{Namespace: "shop", DeploymentVersion: version}); err != nil {
		t.Fatal(err)
	}
}

// An archive in Google's cloud is refused when it is set up, not when it is used.
func TestArchivesInGoogleCloudAreRefused(t *testing.T) {
	if _, err := connector.NewClient(t.Context(), &config.GstorageArchiver{}); !errors.Is(err, storage.ErrNotSupported) {
		t.Fatalf("got %v", err)
	}
}
