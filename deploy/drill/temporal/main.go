// Command temporal stands for Temporal's command line in the drill of the containers: the commands of
// deploy/temporal/namespace.sh and no others. The real one is published as an image and as a module that cannot be built
// by itself.
package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/alecthomas/kong"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"google.golang.org/protobuf/types/known/durationpb"
)

type named struct {
	Namespace string `required:"" help:"Name of the namespace."`
}

type commands struct {
	Operator struct {
		Cluster struct {
			Health health `cmd:"" help:"Ask whether the server answers."`
		} `cmd:""`
		Namespace struct {
			Describe describe `cmd:"" help:"Look for a namespace."`
			Create   create   `cmd:"" help:"Make a namespace."`
		} `cmd:""`
		SearchAttribute struct {
			List   list `cmd:"" help:"List the search attributes of a namespace."`
			Create add  `cmd:"" help:"Make a search attribute."`
		} `cmd:"" name:"search-attribute"`
	} `cmd:""`
}

type (
	health   struct{}
	describe struct{ named }
	create   struct {
		named
		Retention string `required:"" help:"Days that closed workflows are kept, such as 30d."`
	}
	list struct{ named }
	add  struct {
		named
		Name string `required:"" help:"Its name."`
		Type string `required:"" enum:"Keyword" help:"Its type."`
	}
)

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	parsed := kong.Parse(&commands{}, kong.Name("temporal"))
	c, err := client.NewLazyClient(client.Options{HostPort: os.Getenv("TEMPORAL_ADDRESS")})
	parsed.FatalIfErrorf(err)
	parsed.BindTo(ctx, (*context.Context)(nil))
	parsed.BindTo(c, (*client.Client)(nil))
	parsed.FatalIfErrorf(parsed.Run())
}

func (health) Run(ctx context.Context, c client.Client) error {
	_, err := c.CheckHealth(ctx, nil)
	return err
}

func (d describe) Run(ctx context.Context, c client.Client) error {
	_, err := c.WorkflowService().DescribeNamespace(ctx, &workflowservice.DescribeNamespaceRequest{Namespace: d.Namespace})
	return err
}

func (n create) Run(ctx context.Context, c client.Client) error {
	var days int
	if _, err := fmt.Sscanf(n.Retention, "%dd", &days); err != nil {
		return err
	}
	_, err := c.WorkflowService().RegisterNamespace(ctx, &workflowservice.RegisterNamespaceRequest{
		Namespace: n.Namespace, WorkflowExecutionRetentionPeriod: durationpb.New(time.Duration(days) * 24 * time.Hour)})
	return err
}

func (l list) Run(ctx context.Context, c client.Client) error {
	have, err := c.OperatorService().ListSearchAttributes(ctx, &operatorservice.ListSearchAttributesRequest{Namespace: l.Namespace})
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(have.CustomAttributes)) {
		fmt.Println(name)
	}
	return nil
}

func (a add) Run(ctx context.Context, c client.Client) error {
	_, err := c.OperatorService().AddSearchAttributes(ctx, &operatorservice.AddSearchAttributesRequest{
		Namespace: a.Namespace, SearchAttributes: map[string]enumspb.IndexedValueType{a.Name: enumspb.INDEXED_VALUE_TYPE_KEYWORD}})
	return err
}
