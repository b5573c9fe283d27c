#!/bin/sh
# The product's namespace and search attributes, made when they are missing.
set -eu

temporal operator namespace describe --namespace tradepost >/dev/null 2>&1 ||
  temporal operator namespace create --namespace tradepost --retention 30d

for name in OrderStatus Asset Rail; do
  temporal operator search-attribute list --namespace tradepost | grep -qw "$name" ||
    temporal operator search-attribute create --namespace tradepost --name "$name" --type Keyword
done
