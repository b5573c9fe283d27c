package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"helm.sh/helm/v4/pkg/chart/common"
	"helm.sh/helm/v4/pkg/chart/v2/lint"
	"helm.sh/helm/v4/pkg/chart/v2/lint/support"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/yaml"
)

// installations are the values files that the chart is rendered with, over each other.
var installations = map[string][]string{
	"production":                 {"production"},
	"staging":                    {"production", "staging"},
	"bitcoin":                    {"bitcoin"},
	"temporal-cloud":             {"production", "temporal-cloud"},
	"temporal-cloud-certificate": {"production", "temporal-cloud-certificate"},
	"next-version":               {"production", "next-version"},
	"second-key":                 {"production", "second-key"},
	"hosted-cloud":               {"hosted-cloud"},
	"bare":                       {"bitcoin", "bare"},
}

func files(names []string) []string {
	var paths []string
	for _, name := range names {
		paths = append(paths, filepath.Join("tradepost", "ci", name+".yaml"))
	}
	return paths
}

// values are those of an installation.
func values(t *testing.T, installation string) map[string]any {
	t.Helper()
	all := map[string]any{}
	for _, file := range files(installations[installation]) {
		var over map[string]any
		raw, err := os.ReadFile(file)
		require.NoError(t, err)
		require.NoError(t, yaml.UnmarshalStrict(raw, &over))
		all = laid(all, over)
	}
	return all
}

// What is not of Kubernetes itself: the fields that the chart uses of them.
type (
	scaledObject struct {
		metav1.TypeMeta `json:",inline"`
		Metadata        metav1.ObjectMeta `json:"metadata"`
		Spec            struct {
			ScaleTargetRef                   struct{ Name string }
			MinReplicaCount, MaxReplicaCount int
			Triggers                         []struct {
				Type              string
				Metadata          map[string]string
				AuthenticationRef struct{ Name string }
			}
		}
	}
	triggerAuthentication struct {
		metav1.TypeMeta `json:",inline"`
		Metadata        metav1.ObjectMeta `json:"metadata"`
		Spec            struct {
			SecretTargetRef []struct{ Parameter, Name, Key string }
		}
	}
	serviceMonitor struct {
		metav1.TypeMeta `json:",inline"`
		Metadata        metav1.ObjectMeta `json:"metadata"`
		Spec            struct {
			JobLabel  string
			Selector  metav1.LabelSelector
			Endpoints []struct{ Port, Path, Interval string }
		}
	}
	prometheusRule struct {
		metav1.TypeMeta `json:",inline"`
		Metadata        metav1.ObjectMeta `json:"metadata"`
		Spec            ruleFile
	}
	ruleFile struct {
		Groups []struct {
			Name  string
			Rules []struct {
				Alert, Expr, For    string
				Labels, Annotations map[string]string
			}
		}
	}
)

// decoded reads an object strictly into its own type: a field that there is not, or that is
// there twice, is an error.
func decoded(t *testing.T, o object) any {
	t.Helper()
	var custom any
	switch o.GetKind() {
	case "ScaledObject":
		custom = &scaledObject{}
	case "TriggerAuthentication":
		custom = &triggerAuthentication{}
	case "ServiceMonitor":
		custom = &serviceMonitor{}
	case "PrometheusRule":
		custom = &prometheusRule{}
	default:
		typed, _, err := scheme.Codecs.UniversalDeserializer().Decode([]byte(o.text), nil, nil)
		require.NoError(t, err, o.text)
		return typed
	}
	require.NoError(t, yaml.UnmarshalStrict([]byte(o.text), custom), o.text)
	return custom
}

// read are the objects of each installation, in their types.
var read = map[string][]named{}

type named struct {
	name  string
	typed any
}

// all are the objects of an installation of a kind.
func all[T any](t *testing.T, installation string) map[string]*T {
	t.Helper()
	if read[installation] == nil {
		objects, _, err := renderFiles("tradepost", files(installations[installation])...)
		require.NoError(t, err, installation)
		for _, o := range objects {
			read[installation] = append(read[installation], named{o.GetName(), decoded(t, o)})
		}
	}
	found := map[string]*T{}
	for _, o := range read[installation] {
		if typed, is := o.typed.(*T); is {
			require.NotContains(t, found, o.name, "twice")
			found[o.name] = typed
		}
	}
	return found
}

// pod is what a process runs in.
type pod struct {
	name   string
	labels map[string]string
	spec   corev1.PodSpec
	serves bool // and does not end
}

func pods(t *testing.T, installation string) []pod {
	t.Helper()
	var found []pod
	for name, d := range all[appsv1.Deployment](t, installation) {
		require.Subset(t, d.Spec.Template.Labels, d.Spec.Selector.MatchLabels, name)
		found = append(found, pod{name, d.Spec.Template.Labels, d.Spec.Template.Spec, true})
	}
	for name, j := range all[batchv1.Job](t, installation) {
		found = append(found, pod{name, j.Spec.Template.Labels, j.Spec.Template.Spec, false})
	}
	for name, c := range all[batchv1.CronJob](t, installation) {
		require.True(t, *c.Spec.Suspend, "%s starts by itself", name)
		found = append(found, pod{name, c.Spec.JobTemplate.Spec.Template.Labels, c.Spec.JobTemplate.Spec.Template.Spec, false})
	}
	require.GreaterOrEqual(t, len(found), map[bool]int{true: 1, false: 5}[installation == "second-key"])
	return found
}

// each runs a test on every pod of every installation.
func each(t *testing.T, test func(t *testing.T, installation string, p pod)) {
	t.Helper()
	for installation := range installations {
		for _, p := range pods(t, installation) {
			t.Run(installation+"/"+p.name, func(t *testing.T) { test(t, installation, p) })
		}
	}
}

func TestEveryObjectIsWhatKubernetesReads(t *testing.T) {
	for installation, names := range installations {
		objects, notes, err := renderFiles("tradepost", files(names)...)
		require.NoError(t, err, installation)
		require.Contains(t, notes, "https://shop.tradepost.test")
		for _, o := range objects {
			decoded(t, o)
			require.Regexp(t, `^shop-[a-z-]+$|^shop$`, o.GetName())
			require.Equal(t, "shop", o.GetLabels()["app.kubernetes.io/instance"], o.text)
		}
	}
}

// The strictness of the decoding is what the test above stands on.
func TestAnUnknownOrRepeatedFieldIsFound(t *testing.T) {
	for _, text := range []string{
		"apiVersion: v1\nkind: Service\nmetadata: {name: a}\nspec: {selektor: {a: b}}",
		"apiVersion: v1\nkind: Service\nmetadata: {name: a, name: b}",
		"apiVersion: apps/v1beta1\nkind: Deployment\nmetadata: {name: a}",
	} {
		_, _, err := scheme.Codecs.UniversalDeserializer().Decode([]byte(text), nil, nil)
		require.Error(t, err, text)
	}
}

func TestHelmFindsNothingWrong(t *testing.T) {
	version, err := common.ParseKubeVersion(kubernetes)
	require.NoError(t, err)
	for installation := range installations {
		found := lint.RunAll("tradepost", values(t, installation), "exchange", lint.WithKubeVersion(version))
		for _, message := range found.Messages {
			require.LessOrEqual(t, message.Severity, support.InfoSev, "%s: %v", installation, message)
		}
	}
}

// The Pod Security Standard "restricted", which README.md has the namespace enforce, accepts every pod.
func TestPodsAreConfined(t *testing.T) {
	each(t, func(t *testing.T, _ string, p pod) {
		for _, volume := range p.spec.Volumes {
			require.True(t, volume.Projected != nil || volume.ConfigMap != nil || volume.EmptyDir != nil, volume.Name)
		}
		require.False(t, *p.spec.AutomountServiceAccountToken)
		require.False(t, *p.spec.EnableServiceLinks)
		require.True(t, *p.spec.SecurityContext.RunAsNonRoot)
		require.EqualValues(t, 65532, *p.spec.SecurityContext.RunAsUser)
		require.EqualValues(t, 65532, *p.spec.SecurityContext.RunAsGroup)
		require.Equal(t, corev1.SeccompProfileTypeRuntimeDefault, p.spec.SecurityContext.SeccompProfile.Type)
		require.False(t, p.spec.HostNetwork || p.spec.HostPID || p.spec.HostIPC)
		require.Empty(t, p.spec.InitContainers)
		require.Len(t, p.spec.Containers, 1)
		c := p.spec.Containers[0]
		require.True(t, *c.SecurityContext.ReadOnlyRootFilesystem)
		require.False(t, *c.SecurityContext.AllowPrivilegeEscalation)
		require.Equal(t, []corev1.Capability{"ALL"}, c.SecurityContext.Capabilities.Drop)
		require.Empty(t, c.SecurityContext.Capabilities.Add)
		for _, amounts := range []corev1.ResourceList{c.Resources.Requests, c.Resources.Limits} {
			require.Positive(t, amounts.Cpu().MilliValue())
			require.Positive(t, amounts.Memory().Value())
		}
		require.LessOrEqual(t, c.Resources.Requests.Memory().Value(), c.Resources.Limits.Memory().Value())
		require.True(t, *c.SecurityContext.RunAsNonRoot)
		require.Len(t, p.spec.TopologySpreadConstraints, map[bool]int{true: 2}[p.serves])
		for _, spread := range p.spec.TopologySpreadConstraints {
			require.Subset(t, p.labels, spread.LabelSelector.MatchLabels)
		}
	})
}

// A process that serves is probed for its start, health and readiness; of a worker that waits for Postgres or Temporal
// only its port is probed, or it would be killed for waiting.
func TestEveryContainerThatServesHasProbes(t *testing.T) {
	each(t, func(t *testing.T, _ string, p pod) {
		c := p.spec.Containers[0]
		if !p.serves {
			require.Nil(t, c.LivenessProbe, "a job ends by itself")
			return
		}
		port := c.Ports[0].ContainerPort
		for _, probe := range []*corev1.Probe{c.StartupProbe, c.LivenessProbe} {
			if c.Ports[0].Name == "http" {
				require.Equal(t, "/healthz", probe.HTTPGet.Path)
				require.Equal(t, port, probe.HTTPGet.Port.IntVal)
			} else {
				require.Equal(t, port, probe.TCPSocket.Port.IntVal)
			}
		}
		require.Equal(t, port, c.ReadinessProbe.HTTPGet.Port.IntVal)
	})
}

// table is files/processes.yaml.
type table struct {
	Groups    map[string][]string
	Processes map[string]struct {
		Command, Groups, Settings, Secrets, Reaches, Trusts []string
		Serves                                              struct {
			Port        int
			Live, Ready string
		}
		Metrics, Public, Alone bool
		Scratch, Queues        string
	}
}

func processes(t *testing.T) table {
	t.Helper()
	raw, err := os.ReadFile("tradepost/files/processes.yaml")
	require.NoError(t, err)
	var rows table
	require.NoError(t, yaml.UnmarshalStrict(raw, &rows))
	return rows
}

// The value of a secret stands nowhere: it is a file of a Secret that exists, mounted to be
// read by the process that uses it.
func TestEverySecretIsAReference(t *testing.T) {
	var secrets []string
	for _, process := range processes(t).Processes {
		secrets = append(secrets, process.Secrets...)
	}
	for installation := range installations {
		require.Empty(t, all[corev1.Secret](t, installation))
		for name, dashboards := range all[corev1.ConfigMap](t, installation) {
			require.Equal(t, "shop-dashboards", name)
			require.Empty(t, dashboards.BinaryData)
		}
	}
	each(t, func(t *testing.T, installation string, p pod) {
		given, _ := values(t, installation)["secrets"].(map[string]any)
		mounted := map[string]string{}
		for _, source := range p.spec.Volumes[0].Projected.Sources {
			require.NotNil(t, source.Secret)
			for _, item := range source.Secret.Items {
				mounted["/run/secrets/tradepost/"+item.Path] = source.Secret.Name + "/" + item.Key
			}
		}
		require.LessOrEqual(t, *p.spec.Volumes[0].Projected.DefaultMode, int32(0o440))
		c := p.spec.Containers[0]
		require.Empty(t, c.EnvFrom)
		require.True(t, c.VolumeMounts[0].ReadOnly)
		for _, env := range c.Env {
			require.Nil(t, env.ValueFrom, env.Name)
			require.NotContains(t, secrets, env.Name, "a secret by value")
			name, isFile := strings.CutSuffix(env.Name, "_FILE")
			if isFile && slices.Contains(secrets, name) {
				reference, _ := given[secretOf(strings.TrimPrefix(p.name, "shop-"), name)].(map[string]any)
				require.Equal(t, fmt.Sprintf("%s/%s", reference["name"], reference["key"]), mounted[env.Value], name)
				delete(mounted, env.Value)
			}
			if env.Name == "SSL_CERT_DIR" {
				found := removeBelow(mounted, env.Value)
				require.Positive(t, found, "a folder without an authority")
			} else if strings.HasPrefix(env.Value, "/run/secrets/") && !isFile {
				require.Contains(t, mounted, env.Value, env.Name)
				delete(mounted, env.Value)
			}
		}
		require.Empty(t, mounted, "files that no setting names")
	})
}

// removeBelow removes the files of a folder and returns how many they were.
func removeBelow(files map[string]string, folder string) int {
	before := len(files)
	maps.DeleteFunc(files, func(file, _ string) bool { return strings.HasPrefix(file, folder+"/") })
	return before - len(files)
}

// secretOf is which of the values' secrets a process has under a name.
func secretOf(process, name string) string {
	if name != "DATABASE_URL" {
		return name
	}
	if process == "doctor" {
		process = "operator"
	}
	return strings.ToUpper(process) + "_" + name
}

// Every pod is under the policy that allows nothing and under its own, which lets it be
// reached, and reach, as its row says.
func TestEveryPodHasItsNetworkPolicy(t *testing.T) {
	rows := processes(t).Processes
	each(t, func(t *testing.T, installation string, p pod) {
		var over []string
		policies := all[networkingv1.NetworkPolicy](t, installation)
		for name, policy := range policies {
			selector, err := metav1.LabelSelectorAsSelector(&policy.Spec.PodSelector)
			require.NoError(t, err)
			require.Equal(t, []networkingv1.PolicyType{"Ingress", "Egress"}, policy.Spec.PolicyTypes, name)
			if selector.Matches(labels.Set(p.labels)) {
				over = append(over, name)
			}
		}
		require.ElementsMatch(t, []string{"shop-nothing", p.name}, over)
		nothing, own := policies["shop-nothing"].Spec, policies[p.name].Spec
		require.Empty(t, nothing.Ingress)
		require.Empty(t, nothing.Egress)
		row := rows[strings.TrimPrefix(p.name, "shop-")]
		ports := map[int32]bool{}
		for _, rule := range own.Egress {
			require.NotEmpty(t, rule.To, "anywhere")
			require.NotEmpty(t, rule.Ports, "any port")
			for _, port := range rule.Ports {
				ports[port.Port.IntVal] = true
			}
		}
		for where, port := range map[string]int32{"postgres": 5432, "temporal": 7233, "signing": 3080, "mail": 465, "api": 8080} {
			require.Equal(t, slices.Contains(row.Reaches, where), ports[port], where)
		}
		proxied := hasProxy(t, installation)
		outside, bucket := slices.Contains(row.Reaches, "outside"), slices.Contains(row.Reaches, "bucket")
		require.Equal(t, outside && !proxied || slices.Contains(row.Reaches, "issuer"), ports[443])
		require.Equal(t, outside && proxied, ports[3128], "a proxy")
		require.Equal(t, bucket && installation == "bare", ports[9000], "a bucket in the cluster")
		for _, rule := range own.Ingress {
			require.NotEmpty(t, rule.From, "from anywhere")
			require.NotEmpty(t, rule.Ports)
		}
		if !row.Public && !row.Metrics {
			require.Empty(t, own.Ingress)
		}
	})
}

// hasProxy reports whether an installation reaches the internet by a proxy.
func hasProxy(t *testing.T, installation string) bool {
	t.Helper()
	_, there := values(t, installation)["proxy"]
	return there
}

// What selects pods, or names another object, finds it.
func TestReferencesLeadSomewhere(t *testing.T) {
	for installation := range installations {
		deployments, services := all[appsv1.Deployment](t, installation), all[corev1.Service](t, installation)
		for name, service := range services {
			require.Equal(t, deployments[name].Spec.Selector.MatchLabels, service.Spec.Selector, name)
			for _, port := range service.Spec.Ports {
				require.True(t, slices.ContainsFunc(deployments[name].Spec.Template.Spec.Containers[0].Ports, func(p corev1.ContainerPort) bool {
					return p.Name == port.TargetPort.StrVal && p.ContainerPort == port.Port
				}), "%s: %s", name, port.Name)
			}
		}
		budgets := all[policyv1.PodDisruptionBudget](t, installation)
		require.Len(t, budgets, len(deployments))
		for name, budget := range budgets {
			require.Equal(t, deployments[name].Spec.Selector, budget.Spec.Selector)
			require.Equal(t, policyv1.AlwaysAllow, *budget.Spec.UnhealthyPodEvictionPolicy)
		}
		for name, ingress := range all[networkingv1.Ingress](t, installation) {
			backend := ingress.Spec.Rules[0].HTTP.Paths[0].Backend.Service
			require.Contains(t, services, backend.Name)
			require.Equal(t, "http", services[backend.Name].Spec.Ports[0].Name)
			if installation == "hosted-cloud" {
				require.Empty(t, ingress.Spec.TLS, "the load balancer has the certificates")
				continue
			}
			require.Equal(t, ingress.Spec.Rules[0].Host, ingress.Spec.TLS[0].Hosts[0], name)
		}
		for name, scaler := range all[autoscalingv2.HorizontalPodAutoscaler](t, installation) {
			require.Contains(t, deployments, scaler.Spec.ScaleTargetRef.Name)
			require.Nil(t, deployments[name].Spec.Replicas, "the autoscaler's number is not written over")
		}
		authentications := all[triggerAuthentication](t, installation)
		for name, scaler := range all[scaledObject](t, installation) {
			require.Equal(t, name, scaler.Spec.ScaleTargetRef.Name)
			require.Nil(t, deployments[name].Spec.Replicas)
			require.Equal(t, strings.TrimPrefix(name, "shop-"), scaler.Spec.Triggers[0].Metadata["taskQueue"])
			require.Contains(t, authentications, scaler.Spec.Triggers[0].AuthenticationRef.Name)
		}
		accounts := all[corev1.ServiceAccount](t, installation)
		for _, p := range pods(t, installation) {
			if installation != "bare" {
				require.Contains(t, accounts, p.spec.ServiceAccountName)
				require.False(t, *accounts[p.spec.ServiceAccountName].AutomountServiceAccountToken)
				delete(accounts, p.spec.ServiceAccountName)
			}
		}
		require.Empty(t, accounts, "accounts of no process")
		for _, monitor := range all[serviceMonitor](t, installation) {
			for name, service := range services {
				require.Subset(t, service.Labels, monitor.Spec.Selector.MatchLabels, name)
				job := service.Labels[monitor.Spec.JobLabel]
				require.Equal(t, strings.TrimPrefix(name, "shop-"), job, "rules know a process by its job")
			}
		}
	}
	require.Len(t, all[scaledObject](t, "production"), 4)
	require.Len(t, all[serviceMonitor](t, "production"), 1)
	require.Len(t, all[autoscalingv2.HorizontalPodAutoscaler](t, "production"), 1)
	require.Equal(t, "true", all[scaledObject](t, "temporal-cloud")["shop-core"].Spec.Triggers[0].Metadata["enableTLS"])
	require.Empty(t, all[scaledObject](t, "bitcoin"), "off by default")
}

// Migrations, with the policy they run under, come before all else and alone have the
// owner's role; what they leave is removed.
func TestMigrationsComeFirstWithTheirOwnRole(t *testing.T) {
	migrate := all[batchv1.Job](t, "production")["shop-migrate"]
	policy := all[networkingv1.NetworkPolicy](t, "production")["shop-migrate"]
	account := all[corev1.ServiceAccount](t, "production")["shop-migrate"]
	require.Equal(t, policy.Annotations, account.Annotations)
	for _, annotations := range []map[string]string{migrate.Annotations, policy.Annotations} {
		require.Equal(t, "pre-install,pre-upgrade", annotations["helm.sh/hook"])
		require.Equal(t, "before-hook-creation,hook-succeeded", annotations["helm.sh/hook-delete-policy"])
	}
	require.Equal(t, "-1", policy.Annotations["helm.sh/hook-weight"])
	require.Equal(t, "0", migrate.Annotations["helm.sh/hook-weight"])
	for _, p := range pods(t, "bitcoin") {
		owner := slices.ContainsFunc(p.spec.Containers[0].Env, func(e corev1.EnvVar) bool { return e.Name == "MIGRATE_DATABASE_URL_FILE" })
		require.Equal(t, p.name == "shop-migrate", owner, p.name)
	}
}

// env is what a process is given.
func env(t *testing.T, installation, process string) map[string]string {
	t.Helper()
	for _, p := range pods(t, installation) {
		if p.name == "shop-"+process {
			given := map[string]string{}
			for _, e := range p.spec.Containers[0].Env {
				given[e.Name] = e.Value
			}
			return given
		}
	}
	t.Fatalf("%s has no %s", installation, process)
	return nil
}

func TestInstallationsDiffer(t *testing.T) {
	production, cloud := env(t, "production", "core"), env(t, "temporal-cloud", "core")
	require.Equal(t, "verify-full", production["PGSSLMODE"])
	require.Equal(t, "/run/secrets/tradepost/temporal/tls.crt", production["TEMPORAL_TLS_CERT"])
	require.Equal(t, "temporal-frontend", production["TEMPORAL_TLS_SERVER_NAME"])
	require.NotContains(t, cloud, "TEMPORAL_TLS_CERT")
	require.Equal(t, "/run/secrets/tradepost/TEMPORAL_API_KEY", cloud["TEMPORAL_API_KEY_FILE"])
	require.Contains(t, env(t, "temporal-cloud-certificate", "core"), "TEMPORAL_TLS_KEY")

	require.Equal(t, "staging", env(t, "staging", "core")["MODE"])
	require.Equal(t, "test", env(t, "staging", "custody")["BITGO_ENV"])
	require.Equal(t, "prod", env(t, "production", "custody")["BITGO_ENV"])
	require.Contains(t, env(t, "staging", "api")["EXPLORER_URLS"], "testnet4")
	require.NotContains(t, env(t, "production", "api"), "EXPLORER_URLS")
	require.Contains(t, env(t, "staging", "exchange"), "KRAKEN_URL")

	require.NotContains(t, env(t, "bitcoin", "payments"), "STRIPE_KEY_FILE")
	require.Equal(t, "https://login.tradepost.test", env(t, "bitcoin", "api")["OIDC_ISSUER"])
	require.Equal(t, "false", env(t, "bitcoin", "api")["EMBEDDED_IDENTITY"])
	require.NotContains(t, env(t, "bitcoin", "api"), "PASSWORD_URL")
	require.NotContains(t, all[appsv1.Deployment](t, "bitcoin"), "shop-backup", "its Postgres is managed")
	require.Equal(t, appsv1.RecreateDeploymentStrategyType, all[appsv1.Deployment](t, "production")["shop-backup"].Spec.Strategy.Type, "two would wait for one slot")
	require.NotContains(t, all[appsv1.Deployment](t, "bitcoin"), "shop-identity")
	require.Equal(t, "registry.example.com/tradepost:v1.0.0@sha256:"+strings.Repeat("0123456789abcdef", 4), pods(t, "production")[0].spec.Containers[0].Image)
}

// The next version of the workers has nothing that a release of everything has beside it, and is named after its image.
func TestTheNextVersionIsWorkersAlone(t *testing.T) {
	require.Equal(t, []string{"shop-core", "shop-custody", "shop-exchange", "shop-payments"}, slices.Sorted(maps.Keys(all[appsv1.Deployment](t, "next-version"))))
	require.Empty(t, all[networkingv1.Ingress](t, "next-version"))
	require.Empty(t, all[batchv1.CronJob](t, "next-version"))
	require.Empty(t, all[autoscalingv2.HorizontalPodAutoscaler](t, "next-version"))
	for _, worker := range []string{"core", "custody", "exchange", "payments"} {
		given := env(t, "next-version", worker)
		require.Equal(t, []string{"tradepost", "v1.0.0"}, []string{given["WORKER_DEPLOYMENT"], given["WORKER_BUILD_ID"]})
		scaled := all[scaledObject](t, "next-version")["shop-"+worker].Spec.Triggers[0].Metadata
		require.Equal(t, []string{"tradepost", "v1.0.0"}, []string{scaled["workerDeploymentName"], scaled["workerDeploymentBuildId"]})
		require.NotContains(t, all[scaledObject](t, "production")["shop-"+worker].Spec.Triggers[0].Metadata, "workerDeploymentName", "it has no versions")
	}
}

// change sets a value by its path; nil removes it.
func change(values map[string]any, path string, value any) {
	names := strings.Split(path, "/")
	for _, name := range names[:len(names)-1] {
		below, is := values[name].(map[string]any)
		if !is {
			below = map[string]any{}
			values[name] = below
		}
		values = below
	}
	values[names[len(names)-1]] = value
}

// An unknown key, and a value that is missing or makes no sense, stop Helm and are named.
func TestWrongValuesAreRefusedByName(t *testing.T) {
	refused := func(installation, path string, value any) {
		t.Helper()
		given := values(t, installation)
		change(given, path, value)
		_, _, err := render("tradepost", given)
		names := strings.Split(path, "/")
		require.ErrorContains(t, err, names[len(names)-1], path)
	}
	for _, path := range []string{"colour", "image/colour", "site/colour", "identity/colour", "settings/COLOUR", "secrets/COLOUR", "secrets/SECRET_KEY/colour",
		"postgres/colour", "postgres/tls/colour", "postgres/tls/ca/colour", "temporal/colour", "temporal/tls/colour", "temporal/tls/client/colour",
		"ingress/colour", "ingress/tls/colour", "network/colour", "network/postgres/colour", "processes/colour", "processes/api/colour",
		"processes/api/resources/colour", "processes/api/resources/limits/colour", "autoscaling/colour", "autoscaling/workers/colour", "monitoring/colour",
		"backup/colour", "doctor/colour", "authorities/colour", "authorities/bitgo/colour", "aws/colour", "proxy/colour",
		"serviceAccount/colour", "network/proxy/colour", "network/bucket/colour",
		"monitoring/rules/colour", "monitoring/dashboards/colour", "topologySpread/colour"} {
		refused("production", path, "red")
	}
	for _, path := range []string{"image/repository", "image/tag", "site/host", "temporal/address", "settings/SUPPORT_EMAIL", "settings/FILES_URL", "settings/BITGO_URL",
		"settings/BITGO_WALLETS", "settings/MAIL_FROM", "settings/BACKUP_URL", "identity/host", "ingress/tls/site", "ingress/tls/identity"} {
		refused("production", path, "")
	}
	for _, path := range []string{"trustedProxies", "network/postgres/to", "network/temporal/to", "network/signing/to", "network/ingress/from", "network/metrics/from"} {
		refused("production", path, []any{})
	}
	for name := range values(t, "production")["secrets"].(map[string]any) {
		if name != "AWS_SECRET_ACCESS_KEY" && name != "BACKUP_SECRET_ACCESS_KEY" {
			refused("production", "secrets/"+name, nil)
		}
	}
	refused("bitcoin", "settings/OIDC_ISSUER", "")
	refused("staging", "settings/KRAKEN_URL", "")
	refused("staging", "network/simulator/to", []any{})
	refused("production", "mode", "local")
	refused("production", "exchangeOnly", "yes")
	refused("production", "settings/SLIPPAGE_BPS", 100)
	refused("production", "postgres/tls/mode", "prefer")
	refused("production", "processes/api/replicas", 0)
	refused("production", "processes/backup/replicas", 2)
	refused("production", "serviceAccount/annotations", map[string]any{"nobody": map[string]any{"a": "b"}})
	refused("production", "serviceAccount/accounts", map[string]any{"api": "mine"})
	refused("bare", "serviceAccount/annotations", map[string]any{"api": map[string]any{"a": "b"}})
	refused("production", "topologySpread/zone", "Sometimes")
	refused("production", "podLabels", map[string]any{"app.kubernetes.io/name": "mine"})
	refused("production", "proxy/url", "http://user:secret@proxy.test:3128")
	refused("hosted-cloud", "network/proxy/to", []any{})
	refused("hosted-cloud", "monitoring/enabled", false)
}

// The schema and the README have the settings and secrets of the table, and no others.
func TestSchemaAndREADMEListWhatThereIs(t *testing.T) {
	raw, err := os.ReadFile("tradepost/values.schema.json")
	require.NoError(t, err)
	var schema struct {
		Properties map[string]struct{ Properties map[string]any }
	}
	require.NoError(t, json.Unmarshal(raw, &schema))
	rows, settings, secrets := processes(t), map[string]bool{}, map[string]bool{}
	for called, process := range rows.Processes {
		for _, group := range process.Groups {
			require.Contains(t, rows.Groups, group)
			process.Settings = append(process.Settings, rows.Groups[group]...)
		}
		for _, name := range process.Settings {
			settings[name] = true
		}
		for _, name := range process.Secrets {
			secrets[secretOf(called, name)] = true
		}
	}
	template, err := os.ReadFile("tradepost/templates/_settings.tpl")
	require.NoError(t, err)
	made, _, found := strings.Cut(string(template), "tradepost.fallback")
	require.True(t, found)
	for _, match := range regexp.MustCompile(`(?m)^([A-Z_]+): `).FindAllStringSubmatch(made, -1) {
		require.True(t, settings[match[1]], "%s is of no process", match[1])
		if match[1] != "OIDC_ISSUER" { // made with the embedded provider alone
			delete(settings, match[1])
		}
	}
	require.Equal(t, slices.Sorted(maps.Keys(settings)), slices.Sorted(maps.Keys(schema.Properties["settings"].Properties)))
	require.Equal(t, slices.Sorted(maps.Keys(secrets)), slices.Sorted(maps.Keys(schema.Properties["secrets"].Properties)))

	readme, err := os.ReadFile("tradepost/README.md")
	require.NoError(t, err)
	defaults, err := os.ReadFile("tradepost/values.yaml")
	require.NoError(t, err)
	var fallback map[string]any
	require.NoError(t, yaml.UnmarshalStrict(defaults, &fallback))
	require.Equal(t, slices.Sorted(maps.Keys(schema.Properties)), slices.Sorted(slices.Values(append(slices.Collect(maps.Keys(fallback)), "global"))))
	for _, path := range paths("", fallback) {
		require.Contains(t, string(readme), "`"+path+"`")
	}
	for name := range secrets {
		require.Contains(t, string(readme), "`"+name+"`")
	}
}

// paths are the values that have a row of their own: not those of one process, setting, or
// a list's elements.
func paths(at string, values map[string]any) []string {
	var found []string
	whole := []string{"settings", "processes", "ca", "client", "dns", "outside", "mail", "postgres", "temporal", "signing",
		"simulator", "traces", "bitgo", "bucket", "issuer", "proxy", "labels"}
	for name, value := range values {
		below, isMap := value.(map[string]any)
		if isMap && len(below) > 0 && !slices.Contains(whole, name) ||
			at == "" && slices.Contains([]string{"postgres", "temporal", "proxy"}, name) {
			found = append(found, paths(at+name+".", below)...)
		} else {
			found = append(found, at+name)
		}
	}
	return found
}
