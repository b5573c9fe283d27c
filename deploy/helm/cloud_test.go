package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"sigs.k8s.io/yaml"
)

// A process trusts the private authorities of the hosts that it connects to, and no others.
func TestPrivateAuthoritiesByProcess(t *testing.T) {
	rows := processes(t)
	for name, row := range rows.Processes {
		known := slices.Concat(row.Settings, row.Secrets)
		for _, group := range row.Groups {
			known = append(known, rows.Groups[group]...)
		}
		has := func(names ...string) bool {
			return slices.ContainsFunc(names, func(n string) bool { return slices.Contains(known, n) })
		}
		require.Equal(t, has("BITGO_URL"), slices.Contains(row.Trusts, "bitgo"), name)
		require.Equal(t, has("OIDC_ISSUER") && has("OIDC_CLIENT_SECRET"), slices.Contains(row.Trusts, "issuer"), name)
		require.Equal(t, has("FILES_URL", "BACKUP_URL", "AUDIT_SEALS_URL"), slices.Contains(row.Trusts, "bucket"), name)
		require.Equal(t, slices.Contains(row.Trusts, "bucket"), slices.Contains(row.Reaches, "bucket"), name)
	}
	for process, trusted := range map[string][]string{
		"api": {"bucket", "issuer"}, "core": {"bucket", "issuer"}, "custody": {"bitgo"}, "operator": {"bucket"},
		"payments": nil, "exchange": nil, "migrate": nil,
	} {
		require.Equal(t, trusted, authorities(t, "bare", process), process)
		require.Empty(t, authorities(t, "bitcoin", process), process)
	}
	require.Equal(t, []string{"bitgo"}, authorities(t, "hosted-cloud", "doctor"))
}

// authorities are the private ones that a process trusts.
func authorities(t *testing.T, installation, process string) (found []string) {
	t.Helper()
	folder := env(t, installation, process)["SSL_CERT_DIR"]
	for _, p := range pods(t, installation) {
		if p.name != "shop-"+process {
			continue
		}
		for _, source := range p.spec.Volumes[0].Projected.Sources {
			for _, item := range source.Secret.Items {
				if name, is := strings.CutPrefix(item.Path, "authorities/"); is {
					require.Equal(t, "/run/secrets/tradepost/authorities", folder)
					found = append(found, strings.TrimSuffix(name, ".crt"))
				}
			}
		}
	}
	if len(found) == 0 {
		require.Empty(t, folder)
	}
	return found
}

// A hosted cloud gives roles instead of keys: the accounts have their annotations, each for its own process, and the
// library of AWS has its region. The internet is reached by the proxy, and the cluster without it.
func TestHostedCloudUsesRolesNotKeys(t *testing.T) {
	accounts := all[corev1.ServiceAccount](t, "hosted-cloud")
	role := map[string]string{"eks.amazonaws.com/role-arn": "arn:aws:iam::123456789012:role/tradepost-files"}
	require.Equal(t, role, accounts["shop-api"].Annotations)
	require.Empty(t, accounts["shop-custody"].Annotations, "custody has no role of the cloud")
	seals := accounts["shop-core"].Annotations
	require.NotEqual(t, role, seals)
	require.Equal(t, seals, accounts["shop-doctor"].Annotations, "doctor writes to the buckets that core writes to")
	api, payments := env(t, "hosted-cloud", "api"), env(t, "hosted-cloud", "payments")
	custody := env(t, "hosted-cloud", "custody")
	require.Equal(t, "eu-central-1", api["AWS_REGION"])
	require.NotContains(t, api, "AWS_ACCESS_KEY_ID")
	require.NotContains(t, payments, "AWS_REGION")
	require.Equal(t, "http://proxy.egress.svc:3128", payments["HTTPS_PROXY"])
	direct := []string{".svc", ".cluster.local", "tradepost.a1b2c.tmprl.cloud", "bitgo-express.signing.svc",
		"id.tradepost.test"}
	require.Equal(t, strings.Join(direct, ","), api["NO_PROXY"])
	for _, name := range []string{"HTTPS_PROXY", "NO_PROXY", "AWS_REGION"} {
		require.NotContains(t, custody, name, "custody reaches no internet")
		require.NotContains(t, env(t, "production", "api"), name, "off by default")
	}
	for _, p := range pods(t, "hosted-cloud") {
		require.Equal(t, "exchange", p.labels["example.com/team"], p.name)
		for _, spread := range p.spec.TopologySpreadConstraints {
			strict := spread.TopologyKey == "topology.kubernetes.io/zone"
			require.Equal(t, strict, spread.WhenUnsatisfiable == corev1.DoNotSchedule, spread.TopologyKey)
		}
	}
	for name, ingress := range all[networkingv1.Ingress](t, "hosted-cloud") {
		require.Equal(t, "alb", *ingress.Spec.IngressClassName, name)
	}
}

// The namespace is given the label under which TestPodsAreConfined shows that every pod starts.
func TestREADMELabelsTheNamespace(t *testing.T) {
	for _, page := range []string{"tradepost/README.md", "../../docs/launch.md"} {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		require.Contains(t, string(text), "restricted", page)
	}
	readme, err := os.ReadFile("tradepost/README.md")
	require.NoError(t, err)
	require.Contains(t, string(readme), "kubectl label namespace exchange pod-security.kubernetes.io/enforce=restricted")
}

// A bare cluster's administrator made the accounts: the chart names them and makes none.
func TestBareClusterNamesItsAccounts(t *testing.T) {
	require.Empty(t, all[corev1.ServiceAccount](t, "bare"))
	made := map[string]string{"shop-api": "tradepost-site", "shop-custody": "tradepost-custody"}
	for _, p := range pods(t, "bare") {
		want, is := made[p.name]
		if !is {
			want = "default"
		}
		require.Equal(t, want, p.spec.ServiceAccountName, p.name)
	}
	require.Equal(t, "nginx", *all[networkingv1.Ingress](t, "bare")["shop-api"].Spec.IngressClassName)
	require.Equal(t, "shop-tls", all[networkingv1.Ingress](t, "bare")["shop-api"].Spec.TLS[0].SecretName)
}

// prometheusRules are the groups of files in deploy/observability.
func prometheusRules(t *testing.T, names ...string) (want ruleFile) {
	t.Helper()
	for _, name := range names {
		raw, err := os.ReadFile(filepath.Join("..", "observability", name))
		require.NoError(t, err)
		var file ruleFile
		require.NoError(t, yaml.UnmarshalStrict(raw, &file))
		require.NotEmpty(t, file.Groups)
		want.Groups = append(want.Groups, file.Groups...)
	}
	return want
}

// The heartbeat is in the PrometheusRule with the rules; a cluster with one of its own leaves it out.
func TestTheHeartbeatCanBeLeftOut(t *testing.T) {
	given := values(t, "hosted-cloud")
	change(given, "monitoring/rules/heartbeat", false)
	objects, _, err := render("tradepost", given)
	require.NoError(t, err)
	found := 0
	for _, o := range objects {
		if rule, is := decoded(t, o).(*prometheusRule); is {
			require.Equal(t, prometheusRules(t, "rules.yml"), rule.Spec)
			found++
		}
	}
	require.Equal(t, 1, found)
}

// A further key of Kraken is an exchange worker of its own, on the queue of the first and with the same job, beside a
// release of everything: it has nothing that may be there once, and only the key differs.
func TestASecondKeyOfKrakenIsAnExchangeWorkerAlone(t *testing.T) {
	deployments := all[appsv1.Deployment](t, "second-key")
	require.Len(t, deployments, 1)
	require.Empty(t, all[batchv1.Job](t, "second-key"), "the release of everything migrates")
	require.Empty(t, all[batchv1.CronJob](t, "second-key"))
	require.Empty(t, all[networkingv1.Ingress](t, "second-key"))
	require.Empty(t, all[autoscalingv2.HorizontalPodAutoscaler](t, "second-key"))
	require.Empty(t, all[prometheusRule](t, "second-key"), "alerts would come twice")
	require.Empty(t, all[corev1.ConfigMap](t, "second-key"))
	require.Len(t, all[scaledObject](t, "second-key"), 1)
	require.Len(t, all[serviceMonitor](t, "second-key"), 1)
	require.Equal(t, env(t, "production", "exchange"), env(t, "second-key", "exchange"))
	first := krakenSecrets(all[appsv1.Deployment](t, "production")["shop-exchange"])
	require.Equal(t, []string{"tradepost-kraken/key", "tradepost-kraken/secret"}, first)
	second := krakenSecrets(deployments["shop-exchange"])
	require.Equal(t, []string{"tradepost-kraken-2/key", "tradepost-kraken-2/secret"}, second)
}

// krakenSecrets are where a worker's key of Kraken is.
func krakenSecrets(worker *appsv1.Deployment) (found []string) {
	for _, source := range worker.Spec.Template.Spec.Volumes[0].Projected.Sources {
		for _, item := range source.Secret.Items {
			if strings.HasPrefix(item.Path, "KRAKEN_") {
				found = append(found, source.Secret.Name+"/"+item.Key)
			}
		}
	}
	return found
}

// The operators of Prometheus and Grafana are given the rules and dashboards of deploy/observability as they are.
func TestRulesAndDashboardsAreThoseOfObservability(t *testing.T) {
	require.Empty(t, all[prometheusRule](t, "production"), "off by default")
	require.Empty(t, all[corev1.ConfigMap](t, "production"), "off by default")
	given := all[prometheusRule](t, "hosted-cloud")["shop"]
	require.Equal(t, prometheusRules(t, "rules.yml", "heartbeat.yml"), given.Spec)
	require.Equal(t, "prometheus", given.Metadata.Labels["release"], "the operator selects by it")
	dashboards := all[corev1.ConfigMap](t, "hosted-cloud")["shop-dashboards"]
	require.Equal(t, "1", dashboards.Labels["grafana_dashboard"])
	paths, err := filepath.Glob("../observability/dashboards/*.json")
	require.NoError(t, err)
	require.Len(t, dashboards.Data, len(paths))
	for _, path := range paths {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, string(text), dashboards.Data[filepath.Base(path)], path)
	}
}
