#!/bin/bash
# Run once by the postgres image, when it makes its data folder: the product's
# roles and databases. The owner runs migrations; each process has a role of its
# own, which owns nothing and gets its rights from them (models/store/grants.go);
# the identity provider has a schema of its own; Temporal has databases of its own
# and no way into ours. tradepost_app is named by the migrations of releases that
# had one role for all processes: nothing connects as it. The archive's role
# replicates and enters no database of them.
set -euo pipefail

# As the image does with its own, a password may be a file (docker-compose.secrets.yml).
for name in OWNER API CORE PAYMENTS EXCHANGE CUSTODY OPERATOR IDENTITY TEMPORAL BACKUP; do
  file=${name}_PASSWORD_FILE
  if [ -n "${!file:-}" ]; then export "${name}_PASSWORD=$(<"${!file}")"; fi
done

psql --set ON_ERROR_STOP=1 --username postgres \
  --set owner="$OWNER_PASSWORD" --set identity="$IDENTITY_PASSWORD" --set temporal="$TEMPORAL_PASSWORD" \
  --set api="$API_PASSWORD" --set core="$CORE_PASSWORD" --set payments="$PAYMENTS_PASSWORD" \
  --set exchange="$EXCHANGE_PASSWORD" --set custody="$CUSTODY_PASSWORD" --set operator="$OPERATOR_PASSWORD" \
  --set backup="$BACKUP_PASSWORD" <<'SQL'
CREATE ROLE tradepost_owner LOGIN PASSWORD :'owner';
CREATE ROLE tradepost_app NOLOGIN;
CREATE ROLE tradepost_api LOGIN PASSWORD :'api';
CREATE ROLE tradepost_core LOGIN PASSWORD :'core';
CREATE ROLE tradepost_payments LOGIN PASSWORD :'payments';
CREATE ROLE tradepost_exchange LOGIN PASSWORD :'exchange';
CREATE ROLE tradepost_custody LOGIN PASSWORD :'custody';
CREATE ROLE tradepost_operator LOGIN PASSWORD :'operator';
CREATE ROLE tradepost_identity LOGIN PASSWORD :'identity';
ALTER ROLE tradepost_identity SET search_path = identity;
CREATE ROLE temporal LOGIN PASSWORD :'temporal';
CREATE ROLE tradepost_backup LOGIN REPLICATION PASSWORD :'backup';
CREATE DATABASE tradepost OWNER tradepost_owner;
CREATE DATABASE temporal OWNER temporal;
CREATE DATABASE temporal_visibility OWNER temporal;
REVOKE CONNECT ON DATABASE tradepost, temporal, temporal_visibility FROM PUBLIC;
GRANT CONNECT ON DATABASE tradepost TO tradepost_api, tradepost_core, tradepost_payments, tradepost_exchange, tradepost_custody,
  tradepost_operator, tradepost_identity;
\connect tradepost
CREATE SCHEMA identity AUTHORIZATION tradepost_identity;
SQL
