{{- /* One table says what each process is: files/processes.yaml. */ -}}
{{- define "tradepost.table" -}}{{ .Files.Get "files/processes.yaml" }}{{- end }}

{{- /* The processes of this installation, as YAML. */ -}}
{{- define "tradepost.processes" -}}
{{- $all := (include "tradepost.table" . | fromYaml).processes }}
{{- if not .Values.identity.enabled }}{{ $_ := unset $all "identity" }}{{ end }}
{{- if not .Values.backup.enabled }}{{ $_ := unset $all "backup" }}{{ end }}
{{- if not .Values.doctor.enabled }}{{ $_ := unset $all "doctor" }}{{ end }}
{{- if .Values.workersOnly }}
{{- range $process, $spec := $all }}{{ if not (or $spec.queues (eq $process "migrate")) }}{{ $_ := unset $all $process }}{{ end }}{{ end }}
{{- end }}
{{- if .Values.exchangeOnly }}{{ $all = pick $all "exchange" }}{{ end }}
{{- toYaml $all }}
{{- end }}

{{- /* Not empty for a release beside one of everything, which has what there is once. */ -}}
{{- define "tradepost.beside" -}}{{ if or .Values.workersOnly .Values.exchangeOnly }}beside{{ end }}{{- end }}

{{- define "tradepost.name" -}}{{ printf "%s-%s" .Release.Name .process }}{{- end }}

{{- define "tradepost.selector" -}}
app.kubernetes.io/name: tradepost
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/component: {{ .process }}
{{- end }}

{{- define "tradepost.labels" -}}
{{ include "tradepost.selector" . }}
app.kubernetes.io/version: {{ .Values.image.tag | trunc 63 | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "tradepost.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag }}{{ with .Values.image.digest }}@{{ . }}{{ end }}
{{- end }}

{{- /* Labels of a pod; what selects it is never replaced. */ -}}
{{- define "tradepost.podLabels" -}}
{{- toYaml (mustMergeOverwrite (deepCopy .Values.podLabels) (include "tradepost.labels" . | fromYaml)) }}
{{- end }}

{{- define "tradepost.account" -}}
{{- if .Values.serviceAccount.create }}{{ include "tradepost.name" . }}
{{- else }}{{ index .Values.serviceAccount.accounts .process | default "default" }}
{{- end }}
{{- end }}

{{- /* Everything a pod has besides its container; .process and .spec name it. */ -}}
{{- define "tradepost.pod" -}}
serviceAccountName: {{ include "tradepost.account" . | quote }}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 65532
  runAsGroup: 65532
  fsGroup: 65532
  seccompProfile: {type: RuntimeDefault}
terminationGracePeriodSeconds: 20 # the programs stop within 10
{{- with .Values.image.pullSecrets }}
imagePullSecrets: {{ range . }}
  - name: {{ . | quote }}
{{- end }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- if .spec.serves }}
topologySpreadConstraints:
{{- range $of, $key := dict "zone" "topology.kubernetes.io/zone" "node" "kubernetes.io/hostname" }}
  - maxSkew: 1
    topologyKey: {{ $key }}
    whenUnsatisfiable: {{ index $.Values.topologySpread $of }}
    labelSelector: {matchLabels: {{ include "tradepost.selector" $ | fromYaml | toJson }}}
{{- end }}
{{- end }}
containers:
  - name: {{ .process }}
    image: {{ include "tradepost.image" . | quote }}
    imagePullPolicy: {{ .Values.image.pullPolicy }}
    command: {{ toJson .spec.command }}
    securityContext:
      allowPrivilegeEscalation: false
      readOnlyRootFilesystem: true
      runAsNonRoot: true
      capabilities: {drop: [ALL]}
    env: {{- include "tradepost.env" . | nindent 6 }}
    {{- with .spec.serves }}
    ports:
      - {name: {{ ternary "http" "health" (hasKey $.spec "public") }}, containerPort: {{ .port }}}
      {{- if and $.spec.metrics (ne (int .port) 9090) }}
      - {name: health, containerPort: 9090}
      {{- end }}
    startupProbe:
      {{- include "tradepost.alive" . | nindent 6 }}
      periodSeconds: 5
      failureThreshold: 60
    livenessProbe:
      {{- include "tradepost.alive" . | nindent 6 }}
      periodSeconds: 10
      timeoutSeconds: 5
      failureThreshold: 6
    readinessProbe:
      httpGet: {path: {{ .ready }}, port: {{ .port }}}
      periodSeconds: 10
      timeoutSeconds: 5
      failureThreshold: 3
    {{- end }}
    {{- if .spec.public }}
    lifecycle: {preStop: {sleep: {seconds: 5}}} # the ingress controller learns of it first
    {{- end }}
    resources: {{- toYaml (index .Values.processes .process).resources | nindent 6 }}
    volumeMounts:
      - {name: secrets, mountPath: {{ include "tradepost.folder" . }}, readOnly: true}
      {{- if has "legal" .spec.groups }}
      - {name: legal, mountPath: /etc/tradepost/legal, readOnly: true}
      {{- end }}
      {{- if .spec.scratch }}
      - {name: scratch, mountPath: /tmp}
      {{- end }}
volumes:
  - name: secrets
    projected:
      defaultMode: 0440
      sources: {{- include "tradepost.sources" . | nindent 8 }}
  {{- if has "legal" .spec.groups }}
  - name: legal
    configMap: {name: {{ .Values.legal.configMap | quote }}}
  {{- end }}
  {{- with .spec.scratch }}
  - name: scratch
    emptyDir: {medium: Memory, sizeLimit: {{ . }}}
  {{- end }}
{{- end }}

{{- /* A worker without Postgres or Temporal is alive and waits: only its port says so. */ -}}
{{- define "tradepost.alive" -}}
{{- if .live -}}
httpGet: {path: {{ .live }}, port: {{ .port }}}
{{- else -}}
tcpSocket: {port: {{ .port }}}
{{- end }}
{{- end }}
