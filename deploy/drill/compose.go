package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/compose-spec/compose-go/v2/types"
)

// read reads the files of COMPOSE_FILE with the drill's additions over them, as docker would.
func read(ctx context.Context, root string, values map[string]string) (*types.Project, error) {
	var env []string
	for name, value := range values {
		env = append(env, name+"="+value)
	}
	var files []string
	for file := range strings.SplitSeq(values["COMPOSE_FILE"]+":deploy/drill/compose.yml", ":") {
		files = append(files, filepath.Join(root, file))
	}
	options, err := cli.NewProjectOptions(files, cli.WithEnv(env), cli.WithProfiles(strings.Split(values["COMPOSE_PROFILES"], ",")))
	if err != nil {
		return nil, err
	}
	project, err := options.LoadProject(ctx)
	if err != nil {
		return nil, err
	}
	for name, service := range project.Services { // the images made here stand for a tag, whatever its publisher's digest is
		service.Image, _, _ = strings.Cut(service.Image, "@")
		project.Services[name] = service
	}
	return project, nil
}

// known are the settings of a service that runOf, up and images translate; another one is an error, since the drill would
// run something else than compose does.
var known = []string{
	"Name", "Image", "Build", "Profiles", "Platform", "Command", "Entrypoint", "Environment", "User", "ReadOnly", "CapAdd", "CapDrop",
	"SecurityOpt", "Tmpfs", "ShmSize", "Networks", "Ports", "Volumes", "Secrets", "HealthCheck", "DependsOn", "Restart", "StopGracePeriod", "Logging", "Deploy",
}

// checkKnown names the settings that are there and not among those.
func checkKnown(what string, settings any, names ...string) error {
	value := reflect.Indirect(reflect.ValueOf(settings))
	for i := range value.NumField() {
		field := value.Type().Field(i)
		if field.Anonymous && field.Type.Kind() == reflect.Struct {
			if err := checkKnown(what, value.Field(i).Interface(), names...); err != nil {
				return err
			}
			continue
		}
		if name := field.Name; !value.Field(i).IsZero() && !slices.Contains(names, name) {
			return fmt.Errorf("%s: the drill does not know what %s is", what, name)
		}
	}
	return nil
}

func checkService(s types.ServiceConfig) error {
	if err := checkKnown(s.Name, s, known...); err != nil {
		return err
	}
	if s.Deploy != nil {
		if err := checkKnown(s.Name+".deploy", s.Deploy, "Replicas", "Resources"); err != nil {
			return err
		}
		if err := checkKnown(s.Name+".deploy.resources", s.Deploy.Resources, "Limits"); err != nil {
			return err
		}
		if s.Deploy.Resources.Limits != nil {
			if err := checkKnown(s.Name+".deploy.resources.limits", s.Deploy.Resources.Limits, "NanoCPUs", "MemoryBytes", "Pids"); err != nil {
				return err
			}
		}
	}
	if s.HealthCheck != nil {
		if err := checkKnown(s.Name+".healthcheck", s.HealthCheck, "Test", "Interval", "Timeout", "Retries", "StartPeriod"); err != nil {
			return err
		}
	}
	for _, volume := range s.Volumes {
		if err := checkKnown(s.Name+".volumes", volume, "Type", "Source", "Target", "ReadOnly", "Bind", "Volume"); err != nil {
			return err
		}
	}
	for _, secret := range s.Secrets {
		if err := checkKnown(s.Name+".secrets", secret, "Source", "Target"); err != nil {
			return err
		}
	}
	for name, network := range s.Networks {
		if network != nil {
			if err := checkKnown(s.Name+".networks."+name, network, "Aliases"); err != nil {
				return err
			}
		}
	}
	return nil
}

// runOf is what podman is asked for one container of a service.
func runOf(p *types.Project, s types.ServiceConfig, container string) []string {
	args := []string{"run", "--detach", "--name", container, "--restart", s.Restart, "--read-only-tmpfs=false",
		"--ulimit", "nofile=16384:16384", "--ulimit", "nproc=16384:16384", "--log-driver", "k8s-file"}
	add := func(name string, values ...string) {
		for _, value := range values {
			args = append(args, name, value)
		}
	}
	if s.ReadOnly {
		args = append(args, "--read-only")
	}
	add("--cap-drop", s.CapDrop...)
	add("--cap-add", s.CapAdd...)
	for _, option := range s.SecurityOpt {
		add("--security-opt", strings.TrimSuffix(option, ":true"))
	}
	if s.User != "" {
		add("--user", s.User)
	}
	for _, mount := range s.Tmpfs { // Docker's is empty; podman's has the files of the image unless told otherwise
		separator := ":"
		if strings.Contains(mount, ":") {
			separator = ","
		}
		add("--tmpfs", mount+separator+"notmpcopyup")
	}
	if s.ShmSize > 0 {
		add("--shm-size", strconv.FormatInt(int64(s.ShmSize), 10))
	}
	if s.StopGracePeriod != nil {
		add("--stop-timeout", strconv.Itoa(int(time.Duration(*s.StopGracePeriod).Seconds())))
	}
	if s.Logging != nil && s.Logging.Options["max-size"] != "" {
		add("--log-opt", "max-size="+s.Logging.Options["max-size"])
	}
	for _, name := range slices.Sorted(maps.Keys(s.Environment)) {
		if value := s.Environment[name]; value != nil {
			add("--env", name+"="+*value)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Networks)) {
		aliases := []string{s.Name}
		if s.Networks[name] != nil {
			aliases = append(aliases, s.Networks[name].Aliases...)
		}
		add("--network", p.Networks[name].Name+":alias="+strings.Join(aliases, ",alias="))
	}
	for _, port := range s.Ports {
		add("--publish", strings.TrimPrefix(port.HostIP+":", ":")+port.Published+":"+strconv.Itoa(int(port.Target))+"/"+port.Protocol)
	}
	for _, volume := range s.Volumes {
		source := volume.Source
		if volume.Type == types.VolumeTypeVolume {
			source = p.Volumes[source].Name
		}
		mode := "rw"
		if volume.ReadOnly {
			mode = "ro"
		}
		add("--volume", source+":"+volume.Target+":"+mode)
	}
	for _, secret := range s.Secrets {
		add("--volume", p.Secrets[secret.Source].File+":"+cmp.Or(secret.Target, "/run/secrets/"+secret.Source)+":ro")
	}
	args = append(args, limits(s)...)
	args = append(args, health(s)...)
	if len(s.Entrypoint) > 0 {
		add("--entrypoint", array(s.Entrypoint))
	}
	return append(append(args, s.Image), s.Command...)
}

func limits(s types.ServiceConfig) (args []string) {
	if s.Deploy == nil || s.Deploy.Resources.Limits == nil {
		return nil
	}
	most := s.Deploy.Resources.Limits
	if most.MemoryBytes > 0 {
		args = append(args, "--memory", strconv.FormatInt(int64(most.MemoryBytes), 10))
	}
	if most.NanoCPUs > 0 {
		args = append(args, "--cpus", strconv.FormatFloat(float64(most.NanoCPUs), 'f', -1, 32))
	}
	if most.Pids > 0 {
		args = append(args, "--pids-limit", strconv.FormatInt(most.Pids, 10))
	}
	return args
}

func health(s types.ServiceConfig) []string {
	h := s.HealthCheck
	if h == nil {
		return nil
	}
	args := []string{"--health-cmd", array(h.Test[1:])} // CMD
	for flag, d := range map[string]*types.Duration{"--health-interval": h.Interval, "--health-timeout": h.Timeout, "--health-start-period": h.StartPeriod} {
		if d != nil {
			args = append(args, flag, d.String())
		}
	}
	if h.Retries != nil {
		args = append(args, "--health-retries", strconv.FormatUint(*h.Retries, 10))
	}
	return args
}

// array is a list as podman reads it: JSON.
func array(words []string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = strconv.Quote(word)
	}
	return "[" + strings.Join(quoted, ",") + "]"
}
