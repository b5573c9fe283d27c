#!/bin/sh
# The product's namespace and search attributes, made when they are missing. An
# answer that the server is away ends this job, and compose runs it again.
set -eu

temporal operator cluster health
temporal operator namespace describe --namespace tradepost >/dev/null 2>&1 ||
  temporal operator namespace create --namespace tradepost --retention 30d

have=$(temporal operator search-attribute list --namespace tradepost)
for name in OrderStatus Asset Rail Reference Attention; do
  echo "$have" | grep -qw "$name" ||
    temporal operator search-attribute create --namespace tradepost --name "$name" --type Keyword
done
